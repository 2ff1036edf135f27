import Synchronization

/// A counter inside the deliveries of one subscription.
///
/// It is atomic, so that it needs neither a lock nor `@unchecked Sendable`.
final class Countdown: Sendable {
  private let left: Atomic<Int>

  init(_ count: Int) {
    left = Atomic(count)
  }

  /// Decrements the counter and returns it; the result is negative if the counter was 0 or less.
  func step() -> Int {
    let rest = left.load(ordering: .relaxed) - 1
    left.store(rest, ordering: .relaxed)
    return rest
  }
}
