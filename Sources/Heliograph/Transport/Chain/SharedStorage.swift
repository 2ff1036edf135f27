import Signals

/// What the requests of a shared exchange have in common to store its response once.
final class SharedStorage: Sendable {
  private let claimed = Once()
  private let file = Guarded<(any Sendable)?>(nil)

  /// Claims the storing of the response, and returns whether no other request has done so.
  func claim() -> Bool { claimed.claim() }

  /// Returns the file of a long body, which the first request that needs it creates; `nil` if that fails.
  func file<File: Sendable>(_ create: () -> File?) -> File? {
    if let file = file.withLock({ $0 }) { return file as? File }
    // Not under the lock: the file is created on disk. One that another request creates meanwhile is dropped.
    guard let new = create() else { return nil }
    return file.withLock { file in
      file = file ?? new
      return file as? File
    }
  }
}
