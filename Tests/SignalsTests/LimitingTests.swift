import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

struct LimitingTests {
  private typealias Numbers = Signal<Int, Never>
  private let clock = VirtualScheduler()

  @Test func takeSendsTheFirstAndStopsTheSource() {
    expectEqual(SignalRecorder(Numbers.from(1...).take(3)).events, [.value(1), .value(2), .value(3), .completed])
    expectEqual(SignalRecorder(Numbers.from(1...2).take(3)).events, [.value(1), .value(2), .completed])
  }

  @Test func takeZeroCompletesWithoutSubscribing() {
    let signal = Numbers { _ in
      Issue.record("was subscribed to")
      return nil
    }
    expectEqual(SignalRecorder(signal.take(0)).events, [.completed])
  }

  @Test func takeWhileDoesNotSendTheFirstThatFails() {
    expectEqual(SignalRecorder(Numbers.from(1...).take(while: { $0 < 3 })).events, [.value(1), .value(2), .completed])
    expectEqual(SignalRecorder(Numbers.just(5).take(while: { $0 < 3 })).events, [.completed])
  }

  @Test func firstAndLastGiveNothingForNothing() {
    expectEqual(SignalRecorder(Numbers.from(1...).first() as Numbers).events, [.value(1), .completed])
    expectEqual(SignalRecorder(Numbers.from(1...4).last()).events, [.value(4), .completed])
    expectEqual(SignalRecorder(Numbers.just(1).last()).events, [.value(1), .completed])
    expectEqual(SignalRecorder(Numbers.empty.first() as Numbers).events, [.completed])
    expectEqual(SignalRecorder(Numbers.empty.last()).events, [.completed])
  }

  @Test func skipDropsTheFirst() {
    let skipped = Numbers.from(1...4).skip(2)
    expectEqual(SignalRecorder(skipped).values, [3, 4])
    expectEqual(SignalRecorder(skipped).values, [3, 4], "each subscription counts anew")
    expectEqual(SignalRecorder(Numbers.just(1).skip(1)).events, [.completed])
    expectEqual(SignalRecorder(Numbers.just(1).skip(0)).events, [.value(1), .completed])
  }

  @Test func distinctUntilChangedDropsRepeats() {
    expectEqual(SignalRecorder(Numbers.from([1, 1, 2, 2, 1]).distinctUntilChanged()).values, [1, 2, 1])
    expectEqual(
      SignalRecorder(Numbers.from([1, 3, 2, 4]).distinctUntilChanged(by: { $0 % 2 == $1 % 2 })).values, [1, 2])
  }

  @Test func takeUntilSubscribesToTheTriggerFirst() {
    expectEqual(SignalRecorder(Numbers.just(1).take(until: Numbers.just(0))).events, [.completed])
    expectEqual(SignalRecorder(Numbers.just(1).take(until: Numbers.never)).events, [.value(1), .completed])
  }

  @Test func takeUntilEndsWithTheTriggersValue() {
    let trigger = Signal<Void, Never>.timer(after: .seconds(2), on: clock)
    let recorder = SignalRecorder(Numbers.timer(every: .milliseconds(900), on: clock).take(until: trigger))
    clock.advance(by: .seconds(5))
    expectEqual(recorder.events, [.value(0), .value(1), .completed])
    expectEqual(clock.pendingCount, 0)
  }
}
