import Synchronization

/// The session of the customer who is signed in; an app has it in its keychain.
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
