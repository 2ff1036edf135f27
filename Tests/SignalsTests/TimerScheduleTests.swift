import TestSupport
import Testing

@testable import Signals

/// When the one timer of all delays must be armed, and with what.
struct TimerScheduleTests {
  private typealias Schedule = TimerSchedule<String>
  private typealias Arming = Schedule.Arming

  private static func seconds(_ delay: Double) -> Arming {
    Arming(delay: .seconds(delay), leeway: .seconds(delay) / 100)
  }

  /// A schedule with one element due after 100 seconds, and a timer that is armed for it at zero.
  private var armed: Schedule {
    var schedule = Schedule()
    expectEqual(schedule.add("first", after: .seconds(100), at: .zero).arming, Self.seconds(100))
    return schedule
  }

  @Test func theTimerIsArmedForTheEarliestElement() {
    var schedule = Schedule()
    expectNil(schedule.fire(at: .zero).arming)
    expectEqual(schedule.add("a", after: .seconds(3), at: .zero).arming, Self.seconds(3))
    expectEqual(schedule.add("b", after: .seconds(1), at: .zero).arming, Self.seconds(1))
    expectNil(schedule.add("c", after: .seconds(2), at: .zero).arming)
  }

  /// Delays that are added while a timer for 100 seconds may fire until 101.
  @Test(arguments: [
    (delay: 100.0, now: 1.0, isArmed: false),
    (1_000_000, 1, false),
    (100, 0, false),
    (100, 0.5, false),
    // At the instant of the timer, but this delay allows less leeway.
    (99, 1, true),
    (30, 1, true),
    (0.001, 99, true),
    (10.5, 90, true),
    // The leeways end together, or that of the delay later.
    (10.95, 90, false),
    (1, 100, false),
  ])
  func theTimerIsArmedAgainOnlyIfItMayFireTooLate(delay: Double, now: Double, isArmed: Bool) {
    var schedule = armed
    let arming = schedule.add("next", after: .seconds(delay), at: .seconds(now)).arming
    expectEqual(arming, isArmed ? Self.seconds(min(100 - now, delay)) : nil)
  }

  @Test func removalDoesNotArmTheTimer() {
    var schedule = armed
    let (key, arming) = schedule.add("second", after: .seconds(200), at: .zero)
    expectNil(arming)
    expectEqual(schedule.remove(key), "second")
    expectNil(schedule.remove(key))
    let (due, next) = schedule.fire(at: .seconds(300))
    expectEqual(due, ["first"])
    expectNil(next)
  }

  @Test func aTimerThatFiresForARemovedElementIsArmedForTheNext() {
    var schedule = Schedule()
    let (key, _) = schedule.add("a", after: .seconds(1), at: .zero)
    expectNil(schedule.add("b", after: .seconds(5), at: .zero).arming)
    expectEqual(schedule.remove(key), "a")
    var fired = schedule.fire(at: .seconds(1))
    expectEqual(fired.due, [])
    expectEqual(fired.arming, Self.seconds(4))
    fired = schedule.fire(at: .seconds(5))
    expectEqual(fired.due, ["b"])
    // Nothing is left: the timer rests until the next element.
    expectNil(fired.arming)
    expectEqual(schedule.add("c", after: .seconds(100), at: .seconds(6)).arming, Self.seconds(100))
  }

  @Test func allThatIsDueIsTakenInOrderAndNothingElse() {
    var schedule = armed
    for delay in [3, 1, 2, 1] { _ = schedule.add("\(delay)", after: .seconds(delay), at: .zero) }
    var fired = schedule.fire(at: .seconds(2))
    expectEqual(fired.due, ["1", "1", "2"])
    expectEqual(fired.arming, Self.seconds(1))
    // A timer that fires too early takes nothing.
    fired = schedule.fire(at: .milliseconds(2_999))
    expectEqual(fired.due, [])
    expectEqual(fired.arming, Self.seconds(0.001))
    _ = schedule.add("late", after: .seconds(4), at: .zero)
    fired = schedule.fire(at: .seconds(3))
    expectEqual(fired.due, ["3"])
    expectEqual(fired.arming, Self.seconds(1))
    expectEqual(schedule.fire(at: .seconds(200)).due, ["late", "first"])
  }

  @Test(arguments: [Duration.seconds(Int64.max), .nanoseconds(Int64.max), .seconds(10_000_000_000)])
  func aDelayWithoutEndIsOneOf292Years(delay: Duration) {
    var schedule = Schedule()
    let limit = Duration.nanoseconds(Int64.max)
    let arming = schedule.add("never", after: delay, at: .seconds(1)).arming
    expectEqual(arming, Arming(delay: limit, leeway: limit / 100))
    expectEqual(schedule.add("soon", after: .seconds(1), at: .seconds(2)).arming, Self.seconds(1))
    expectEqual(schedule.fire(at: limit).due, ["soon"])
  }
}
