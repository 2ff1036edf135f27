import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// A timer that wakes up late after the process was suspended.
struct IdleTimeoutWatchTests {
  private let scheduler = VirtualScheduler()
  private let start = SuspendingClock.now

  /// Returns what the timer tells of its delay, if the process is suspended for a time.
  private func lateness(after suspension: Duration) -> [Bool] {
    let extra = Guarded(Duration.zero)
    let watch = IdleTimeoutWatch(on: scheduler) { [start, scheduler] in start + scheduler.now + extra.withLock { $0 } }
    let looks = Guarded<[Bool]>([])
    watch.schedule(at: start + .seconds(60)) { now, isLate in
      looks.withLock { $0.append(isLate) }
      return isLate ? now + .seconds(60) : nil
    }
    scheduler.advance(by: .seconds(30))
    extra.withLock { $0 = suspension }
    scheduler.advance(by: .seconds(30))
    extra.withLock { $0 = suspension }
    scheduler.advance(by: .seconds(60))
    return looks.withLock { $0 }
  }

  @Test func aLateTimerGivesOneFreshPeriod() {
    expectEqual(lateness(after: .seconds(300)), [true, false])
  }

  @Test func aTimerOfABusyDeviceIsNotLate() {
    expectEqual(lateness(after: .seconds(2)), [false])
  }
}
