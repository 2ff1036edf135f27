import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// Stages that enter a deadline.
struct DeadlineTests {
  private final class Stage: Sendable {}

  private let clock = VirtualScheduler()
  private let stage = Stage()

  @Test func aStageThatEntersLateEndsAtOnceUnlessTheTimerWasStopped() {
    let count = Guarded(0)
    let passed = Deadline(after: .seconds(1), on: clock)
    passed.start {}
    clock.advance(by: .seconds(1))
    expect(passed.hasPassed)
    passed.enter(stage) { count.withLock { $0 += 1 } }
    expectEqual(count.withLock { $0 }, 1)
    clock.advance(by: .seconds(60))
    passed.leave(stage)
    passed.stop()
    passed.enter(stage) { count.withLock { $0 += 1 } }
    expectEqual(count.withLock { $0 }, 1)
    let stopped = Deadline(after: .seconds(1), on: clock)
    stopped.start {}
    stopped.stop()
    stopped.enter(stage) { count.withLock { $0 += 1 } }
    clock.advance(by: .seconds(60))
    expectEqual(count.withLock { $0 }, 1)
    expectEqual(clock.pendingCount, 0)
  }
}
