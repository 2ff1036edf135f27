import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// Operators between a signal that cannot fail and one that can, and with sources as arguments.
struct PromotingTests {
  private typealias Plain = Signal<Int, Never>

  private let source = PublishSubject<Int, Fault>()
  private let plain = PublishSubject<Int, Never>()
  private let current = CurrentValue(10)

  /// The events while both subjects send and the one that can fail fails.
  private func events<Value: Sendable>(_ signal: Signal<Value, Fault>) -> [String] {
    let recorder = SignalRecorder(signal)
    source.send(1)
    plain.send(2)
    source.send(3)
    plain.complete()
    source.fail(.broken)
    return recorder.values.map { "\($0)" } + [recorder.failure.map { "\($0)" } ?? "completed"]
  }

  @Test func aSignalThatCannotFailStartsOneThatCan() {
    expectEqual(events(plain.flatMap { [source] _ in source.signal }), ["3", "broken"])
    let signals = Signal<Signal<Int, Fault>, Never>.from([.just(1), .fail(.late)])
    expectEqual(SignalRecorder(signals.flatten(.concat)).events, [.value(1), .failed(.late)])
  }

  @Test func aSignalThatCanFailStartsOneThatCannot() {
    expectEqual(events(source.signal.flatMap { .just($0 * 2) as Signal<Int, Never> }), ["2", "6", "broken"])
    expectEqual(SignalRecorder(Numbers.just(1).then(current)).values, [10])
    expectEqual(SignalRecorder(Numbers.just(1).concat(Plain.just(2))).events, [.value(1), .value(2), .completed])
    expectEqual(SignalRecorder(Plain.just(1).concat(Numbers.fail(.late))).events, [.value(1), .failed(.late)])
    expectEqual(SignalRecorder(Plain.just(1).then(Numbers.fail(.late))).events, [.failed(.late)])
  }

  @Test func joinsPromoteEitherSide() {
    expectEqual(events(source.signal.zip(plain)), ["(1, 2)", "completed"])
  }

  @Test func joinsOfASignalThatCannotFail() { expectEqual(events(plain.zip(source)), ["(2, 1)", "completed"]) }

  @Test func theLatestOfEither() {
    expectEqual(events(source.signal.combineLatest(plain)), ["(1, 2)", "(3, 2)", "broken"])
  }

  @Test func theLatestOfASource() {
    expectEqual(events(source.signal.withLatest(from: current)), ["(1, 10)", "(3, 10)", "broken"])
  }

  @Test func theLatestForASignalThatCannotFail() {
    expectEqual(events(plain.withLatest(from: source)), ["(2, 1)", "completed"])
  }

  @Test func merging() { expectEqual(events(source.signal.merge(plain, current)), ["10", "1", "2", "3", "broken"]) }

  @Test func mergingOneThatCanFail() { expectEqual(events(plain.merge(source)), ["1", "2", "3", "broken"]) }

  @Test func endingByATriggerThatCannotFail() {
    let recorder = SignalRecorder(source.signal.take(until: plain))
    source.send(1)
    plain.send(2)
    expectEqual(recorder.events, [.value(1), .completed])
  }

  @Test func endingByATriggerThatCanFail() {
    let recorder = SignalRecorder(plain.take(until: source))
    plain.send(2)
    source.fail(.late)
    expectEqual(recorder.events, [.value(2), .failed(.late)])
  }

  @Test func skippingAndSampling() {
    let (skipped, sampled) = (
      SignalRecorder(source.signal.skip(until: plain)), SignalRecorder(source.signal.sample(on: plain))
    )
    source.send(1)
    plain.send(2)
    source.send(3)
    plain.send(4)
    expectEqual(skipped.values, [3])
    expectEqual(sampled.values, [1, 3])
  }

  @Test func sourcesHaveMapAndJoinByTheirTypes() {
    let (name, isOn) = (CurrentValue("a"), CurrentValue(true).property)
    let all = SignalRecorder(Signal.combineLatest(name, isOn, current.map { $0 + 1 }).map { "\($0.0) \($0.1) \($0.2)" })
    name.send("b")
    expectEqual(all.values, ["a true 11", "b true 11"])
    let doubled = SignalRecorder(source.map { $0 * 2 })
    source.send(2)
    expectEqual(doubled.values, [4])
    expectEqual(
      SignalRecorder(Signal.zip(current, current, current, current, current, current, current)).values.count, 1)
    expectEqual(SignalRecorder(Signal.merge(current, current)).values, [10, 10])
  }

  @Test func theCompilerPrefersTheFormWithoutPromotion() {
    // Nothing here names a failure type: it is `Never` for both.
    let both = Plain.just(1).zip(.just(2)).map { $0.0 + $0.1 }
    let chain = Plain.just(1).flatMap { .just($0) }.merge(.just(2)).concat(.empty).then(.just(5))
    let (a, b): (Plain, Plain) = (both, chain)
    expectEqual(SignalRecorder(a).values + SignalRecorder(b).values, [3, 5])
  }

  @Test func aCatchMayReturnASignalThatCannotFail() {
    let safe: Plain = Numbers.fail(.late).catch { _ in .just(7) }
    expectEqual(SignalRecorder(safe).events, [.value(7), .completed])
  }
}
