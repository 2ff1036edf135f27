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
  private func lateness(after suspension: Duration, delay: Duration = .seconds(60)) -> [Bool] {
    let extra = Guarded(Duration.zero)
    let watch = IdleTimeoutWatch(on: scheduler) { [start, scheduler] in start + scheduler.now + extra.withLock { $0 } }
    let looks = Guarded<[Bool]>([])
    watch.schedule(at: start + delay) { now, isLate in
      looks.withLock { $0.append(isLate) }
      return isLate ? now + delay : nil
    }
    scheduler.advance(by: delay / 2)
    extra.withLock { $0 = suspension }
    scheduler.advance(by: delay / 2)
    extra.withLock { $0 = suspension }
    scheduler.advance(by: delay)
    return looks.withLock { $0 }
  }

  @Test func aLateTimerGivesOneFreshPeriod() {
    expectEqual(lateness(after: .seconds(300)), [true, false])
  }

  @Test func aTimerOfABusyDeviceIsNotLate() {
    expectEqual(lateness(after: .seconds(2)), [false])
  }

  /// A scheduler may defer a timer by a hundredth of its delay.
  @Test(arguments: [(11, [false]), (13, [true, false])])
  func aLongTimerMayBeLaterBeforeItCountsAsLate(_ seconds: Int, _ looks: [Bool]) {
    expectEqual(lateness(after: .seconds(seconds), delay: .seconds(1_000)), looks)
  }
}
