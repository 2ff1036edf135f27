import Synchronization

/// The stored session of the signed-in customer; an app stores it in the keychain.
final class KeptSession: Sendable {
  private let state: Mutex<Session>

  init(_ session: Session) {
    state = Mutex(session)
  }

  var value: Session {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
