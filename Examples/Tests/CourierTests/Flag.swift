import Synchronization

/// A flag that is taken once.
final class Flag: Sendable {
  private let isTaken = Atomic(false)

  /// Returns whether this is the first call.
  func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
}
