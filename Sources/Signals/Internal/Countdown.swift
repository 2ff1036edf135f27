import Synchronization

/// Counts down inside the deliveries of one subscription; an atomic, so that it costs no lock and needs no trust.
final class Countdown: Sendable {
  private let left: Atomic<Int>

  init(_ count: Int) {
    left = Atomic(count)
  }

  /// What is left after this step; negative when nothing was.
  func step() -> Int {
    let rest = left.load(ordering: .relaxed) - 1
    left.store(rest, ordering: .relaxed)
    return rest
  }
}
