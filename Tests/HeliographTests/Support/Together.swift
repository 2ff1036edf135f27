import Foundation
import Signals
import Synchronization

/// Runs the work on so many threads, which begin together, and waits for all.
func together(_ count: Int, stackByteCount: Int? = nil, _ work: @escaping @Sendable (Int) -> Void) async {
  let missing = Countdown(count)
  let running = Countdown(count)
  await withCheckedContinuation { continuation in
    for index in 0..<count {
      let thread = Thread {
        missing.count()
        while !missing.isTerminated { sched_yield() }
        work(index)
        if running.count() { continuation.resume() }
      }
      if let stackByteCount { thread.stackSize = stackByteCount }
      thread.start()
    }
  }
}

private final class Countdown: Sendable {
  private let rest: Atomic<Int>

  init(_ count: Int) { rest = Atomic(count) }

  var isTerminated: Bool { rest.load(ordering: .acquiring) == 0 }

  /// Counts one down; returns whether it was the last.
  @discardableResult
  func count() -> Bool { rest.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}
