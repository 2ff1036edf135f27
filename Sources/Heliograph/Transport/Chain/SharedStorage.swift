import Signals

/// What the requests of a shared exchange have in common to store its response once.
final class SharedStorage: Sendable {
  private struct State {
    var isClaimed = false
    // The recordings own it, so that it is removed with the last of them.
    weak var file: (any AnyObject & Sendable)?
  }

  private let state = Guarded(State())

  /// Claims the storing of the response, and returns whether no other request has done so.
  func claim() -> Bool {
    state.withLock { state in
      defer { state.isClaimed = true }
      return !state.isClaimed
    }
  }

  /// Returns the file of a long body, which the first request that needs it creates; `nil` if that fails.
  func file<File: AnyObject & Sendable>(_ create: () -> File?) -> File? {
    if let file = state.withLock({ $0.file }) { return file as? File }
    // Not under the lock: the file is created on disk. The requests receive the body one after another.
    guard let new = create() else { return nil }
    state.withLock { $0.file = new }
    return new
  }
}
