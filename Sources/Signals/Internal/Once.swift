import Synchronization

/// A flag that is claimed at most once.
final class Once: Sendable {
  private let isClaimed = Atomic<Bool>(false)

  /// Claims the flag and returns whether this is the first claim.
  func claim() -> Bool { !isClaimed.exchange(true, ordering: .acquiringAndReleasing) }
}
