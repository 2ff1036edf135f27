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
    expect(schedule.add("first", after: .seconds(100), at: .zero).needsArming)
    expectEqual(schedule.takeArming(at: .zero), Self.seconds(100))
    return schedule
  }

  @Test func theTimerIsArmedForTheEarliestElement() {
    var schedule = Schedule()
    expectNil(schedule.takeArming(at: .zero))
    expect(schedule.add("a", after: .seconds(3), at: .zero).needsArming)
    // The caller of the first addition has yet to arm the timer, and takes the earliest element then.
    expect(!schedule.add("b", after: .seconds(1), at: .zero).needsArming)
    expectEqual(schedule.takeArming(at: .milliseconds(500)), Self.seconds(0.5))
    expectNil(schedule.takeArming(at: .milliseconds(500)))
  }

  /// Delays that are added while a timer for 100 seconds may fire until 101.
  @Test(arguments: [
    (delay: 100.0, now: 1.0, needsArming: false),
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
  func theTimerIsArmedAgainOnlyIfItMayFireTooLate(delay: Double, now: Double, needsArming: Bool) {
    var schedule = armed
    expectEqual(schedule.add("next", after: .seconds(delay), at: .seconds(now)).needsArming, needsArming)
    if needsArming {
      let next = min(100 - now, delay)
      expectEqual(schedule.takeArming(at: .seconds(now)), Self.seconds(next))
    }
  }

  @Test func removalDoesNotArmTheTimer() {
    var schedule = armed
    let (key, _) = schedule.add("second", after: .seconds(200), at: .zero)
    expectEqual(schedule.remove(key), "second")
    expectNil(schedule.remove(key))
    expectNil(schedule.takeArming(at: .zero))
    expectEqual([schedule.takeDue(at: .seconds(300)), schedule.takeDue(at: .seconds(300))], ["first", nil])
  }

  @Test func aTimerThatFiresForARemovedElementIsArmedForTheNext() {
    var schedule = Schedule()
    let (key, _) = schedule.add("a", after: .seconds(1), at: .zero)
    expectEqual(schedule.takeArming(at: .zero), Self.seconds(1))
    expect(!schedule.add("b", after: .seconds(5), at: .zero).needsArming)
    expectEqual(schedule.remove(key), "a")
    expectNil(schedule.takeDue(at: .seconds(1)))
    expectEqual(schedule.takeArming(at: .seconds(1)), Self.seconds(4))
    expectEqual(schedule.takeDue(at: .seconds(5)), "b")
    expectNil(schedule.takeDue(at: .seconds(5)))
    // Nothing is left: the timer rests until the next element.
    expectNil(schedule.takeArming(at: .seconds(5)))
    expect(schedule.add("c", after: .seconds(100), at: .seconds(6)).needsArming)
  }

  @Test func allThatIsDueIsTakenInOrderAndNothingElse() {
    var schedule = armed
    for delay in [3, 1, 2, 1] { _ = schedule.add("\(delay)", after: .seconds(delay), at: .zero) }
    expectEqual((1...4).map { _ in schedule.takeDue(at: .seconds(2)) }, ["1", "1", "2", nil])
    expectEqual(schedule.takeArming(at: .seconds(2)), Self.seconds(1))
    // A timer that fires too early takes nothing.
    expectNil(schedule.takeDue(at: .milliseconds(2_999)))
    expectEqual(schedule.takeArming(at: .milliseconds(2_999)), Self.seconds(0.001))
    // One that is late is armed for the present.
    expectEqual(schedule.takeDue(at: .seconds(3)), "3")
    expectNil(schedule.takeDue(at: .seconds(3)))
    expectEqual(schedule.takeArming(at: .seconds(200)), Arming(delay: .zero, leeway: .zero))
  }

  @Test(arguments: [Duration.seconds(Int64.max), .nanoseconds(Int64.max), .seconds(10_000_000_000)])
  func aDelayWithoutEndIsOneOf292Years(delay: Duration) {
    var schedule = Schedule()
    expect(schedule.add("never", after: delay, at: .seconds(1)).needsArming)
    let limit = Duration.nanoseconds(Int64.max)
    expectEqual(schedule.takeArming(at: .seconds(1)), Arming(delay: limit, leeway: limit / 100))
    expect(schedule.add("soon", after: .seconds(1), at: .seconds(2)).needsArming)
    expectEqual(schedule.takeDue(at: limit), "soon")
    expectNil(schedule.takeDue(at: limit))
  }
}
