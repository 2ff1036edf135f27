import Synchronization

/// A counter that is accessed only inside the deliveries of one subscription.
///
/// It is atomic, so that it needs neither a lock nor `@unchecked Sendable`.
final class Countdown: Sendable {
  private let remaining: Atomic<Int>

  init(_ count: Int) {
    remaining = Atomic(count)
  }

  /// Decrements the counter and returns it; the result is negative if the counter was 0 or less.
  func decrement() -> Int {
    let result = remaining.load(ordering: .relaxed) - 1
    remaining.store(result, ordering: .relaxed)
    return result
  }
}
