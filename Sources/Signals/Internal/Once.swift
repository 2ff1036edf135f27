import Synchronization

/// Something that is claimed once.
final class Once: Sendable {
  private let isClaimed = Atomic<Bool>(false)

  /// Whether this is the first claim.
  func claim() -> Bool { !isClaimed.exchange(true, ordering: .acquiringAndReleasing) }
}
