import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

struct SkippingTests {
  private let source = Source<Int>()
  private let trigger = Source<String>()

  @Test func skipWhileSendsTheFirstThatDoesNotPassAndAllAfterIt() {
    let tested = Log<Int>()
    let signal = Numbers.from([1, 2, 5, 1]).skip(while: {
      tested.add($0)
      return $0 < 3
    })
    expectEqual(SignalRecorder(signal).events, [.value(5), .value(1), .completed])
    expectEqual(tested.entries, [1, 2, 5])
    expectEqual(SignalRecorder(signal).values, [5, 1], "each subscription tests anew")
    expectEqual(SignalRecorder(Numbers.fused(1).skip(while: { $0 < 3 })).events, [.completed])
    expectEqual(SignalRecorder(Numbers.fused(4).skip(while: { $0 < 3 })).events, [.value(4), .completed])
  }

  @Test func skipUntilSendsWhatComesAfterTheTrigger() {
    let recorder = SignalRecorder(source.signal.skip(until: trigger.signal))
    source.send(1)
    trigger.send("go")
    expect(trigger.isIdle, "the trigger is disposed")
    source.send(2)
    trigger.fail()
    source.complete(with: 3)
    expectEqual(recorder.events, [.value(2), .value(3), .completed])
    expect(source.isIdle)
  }

  @Test func aFusedTriggerOpensToo() {
    let recorder = SignalRecorder(source.signal.skip(until: trigger.signal))
    trigger.complete(with: "go")
    source.send(1)
    expectEqual(recorder.events, [.value(1)])
    let ready = Numbers.from([1, 2]).skip(until: Signal<Void, Fault>.just(()))
    expectEqual(SignalRecorder(ready).events, [.value(1), .value(2), .completed])
  }

  @Test func aTriggerThatCompletesWithoutAValueOpensNothing() {
    let recorder = SignalRecorder(source.signal.skip(until: trigger.signal))
    trigger.complete()
    source.send(1)
    source.complete(with: 2)
    expectEqual(recorder.events, [.completed])
  }

  @Test func aFailureOfEitherFailsSkipUntil() {
    let recorder = SignalRecorder(source.signal.skip(until: trigger.signal))
    trigger.fail()
    expectEqual(recorder.events, [.failed(.broken)])
    expect(source.isIdle)
    let other = SignalRecorder(source.signal.skip(until: trigger.signal))
    source.fail(.late)
    expectEqual(other.events, [.failed(.late)])
    expect(source.isIdle)
    expect(trigger.isIdle)
  }

  @Test func disposalStopsSourceAndTrigger() {
    for signal in [source.signal.skip(until: trigger.signal), source.signal.sample(on: trigger.signal)] {
      let recorder = SignalRecorder(signal)
      recorder.dispose()
      trigger.send("go")
      source.send(1)
      expect(recorder.events.isEmpty)
      expect(source.isIdle)
      expect(trigger.isIdle)
    }
  }

  @Test func takeUntilATestSendsTheValueThatPasses() {
    let endless = SignalRecorder(Numbers.endless.take(until: { $0 == 2 }))
    expectEqual(endless.events, [.value(0), .value(1), .value(2), .completed])
    let recorder = SignalRecorder(source.signal.take(until: { $0 > 1 }))
    source.send(1)
    source.send(2)
    source.send(3)
    expectEqual(recorder.events, [.value(1), .value(2), .completed])
    expect(source.isIdle)
    for value in [1, 2] {
      let fused = Numbers.fused(value).take(until: { $0 > 1 })
      expectEqual(SignalRecorder(fused).events, [.value(value), .completed])
    }
    expectEqual(SignalRecorder(Numbers.fail(.broken).take(until: { _ in true })).events, [.failed(.broken)])
  }

  @Test func aReentrantValueAfterTheLastIsDropped() {
    let log = Log<Int>()
    source.signal.take(until: { $0 == 1 }).subscribe(
      onValue: { [source] value in
        log.add(value)
        source.send(2)
      }, onFailure: { _ in })
    source.send(1)
    expectEqual(log.entries, [1])
  }

  @Test func sampleSendsTheLatestValueOnce() {
    let recorder = SignalRecorder(source.signal.sample(on: trigger.signal))
    trigger.send("early")
    source.send(1)
    source.send(2)
    trigger.send("now")
    trigger.send("again")
    source.send(3)
    expectEqual(recorder.events, [.value(2)])
    trigger.complete(with: "last")
    expectEqual(recorder.events, [.value(2), .value(3), .completed])
    expect(source.isIdle)
    expect(trigger.isIdle)
  }

  @Test func sampleCompletesWithTheSourceOrTheSampler() {
    let recorder = SignalRecorder(source.signal.sample(on: trigger.signal))
    source.complete(with: 1)
    expectEqual(recorder.events, [.completed], "a value that was not sampled is dropped")
    expect(trigger.isIdle)
    let other = SignalRecorder(source.signal.sample(on: trigger.signal))
    source.send(1)
    trigger.complete()
    expectEqual(other.events, [.completed])
    expect(source.isIdle)
  }

  @Test func aFailureOfEitherFailsSample() {
    for isSource in [true, false] {
      let (source, trigger) = (Source<Int>(), Source<Int>())
      let recorder = SignalRecorder(source.signal.sample(on: trigger.signal))
      (isSource ? source : trigger).fail()
      expectEqual(recorder.events, [.failed(.broken)])
      expect(source.isIdle)
      expect(trigger.isIdle)
    }
  }

  @Test func aDeallocatedSubjectEndsSampleAndSkipUntilSilently() {
    for make in [{ $0.sample(on: $1) }, { $0.skip(until: $1) }] as [(Numbers, Signal<String, Fault>) -> Numbers] {
      let subject = Later<PublishSubject<Int, Fault>>()
      subject.value = PublishSubject()
      let recorder = SignalRecorder(make(subject.value?.signal ?? .empty, trigger.signal))
      subject.value = nil
      trigger.send("now")
      expect(recorder.events.isEmpty)
      expect(trigger.isIdle)
      expect(recorder.subscription.isDisposed)
    }
  }

  @Test func aTriggerThatIsDeallocatedOpensNothing() {
    let subject = Later<PublishSubject<Void, Fault>>()
    subject.value = PublishSubject()
    let recorder = SignalRecorder(source.signal.skip(until: subject.value?.signal ?? .empty))
    subject.value = nil
    source.complete(with: 1)
    expectEqual(recorder.events, [.completed])
  }
}
