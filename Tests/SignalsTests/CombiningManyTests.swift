import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

struct CombiningManyTests {
  private let sources = (0..<3).map { _ in Source<Int>() }

  private var zipped: Signal<[Int], Fault> { Signal.zip(sources.map(\.signal)) }
  private var combined: Signal<[Int], Fault> { Signal.combineLatest(sources.map(\.signal)) }

  private var isIdle: Bool { sources.allSatisfy(\.isIdle) }

  @Test func zipSendsTheValuesInTheOrderOfTheArray() {
    let recorder = SignalRecorder(zipped)
    sources[2].send(3)
    sources[0].send(1)
    sources[0].send(4)
    expect(recorder.values.isEmpty)
    sources[1].send(2)
    sources[1].send(5)
    sources[2].send(6)
    expectEqual(recorder.values, [[1, 2, 3], [4, 5, 6]])
  }

  @Test func zipCompletesWhenNoFurtherArrayIsPossible() {
    let recorder = SignalRecorder(zipped)
    sources[0].send(1)
    sources[0].complete()
    sources[1].send(2)
    expect(!recorder.hasEnded, "1 waits for the others")
    sources[2].complete(with: 3)
    expectEqual(recorder.events, [.value([1, 2, 3]), .completed])
    expect(isIdle)
    let empty = SignalRecorder(Signal.zip([Numbers.never, .from([1]), .empty]))
    expectEqual(empty.events, [.completed])
  }

  @Test func combineLatestSendsOnceAllHaveSent() {
    let recorder = SignalRecorder(combined)
    sources[0].send(1)
    sources[0].send(2)
    sources[2].send(3)
    expect(recorder.values.isEmpty)
    sources[1].send(4)
    sources[2].send(5)
    expectEqual(recorder.values, [[2, 4, 3], [2, 4, 5]])
  }

  @Test func combineLatestCompletesWithTheLast() {
    let recorder = SignalRecorder(combined)
    sources[0].complete(with: 1)
    sources[1].complete(with: 2)
    sources[2].send(3)
    expect(!recorder.hasEnded)
    sources[2].complete(with: 4)
    expectEqual(recorder.events, [.value([1, 2, 3]), .value([1, 2, 4]), .completed])
    expect(isIdle)
  }

  @Test func combineLatestCompletesWhenOneHasNoValue() {
    let recorder = SignalRecorder(combined)
    sources[0].send(1)
    sources[1].complete()
    expectEqual(recorder.events, [.completed])
    expect(isIdle)
  }

  @Test func optionalValuesAreValues() {
    let absent = Signal<Int?, Fault>.just(nil)
    expectEqual(SignalRecorder(Signal.combineLatest([absent, .just(1)])).events, [.value([nil, 1]), .completed])
    expectEqual(SignalRecorder(Signal.zip([absent, absent])).events, [.value([nil, nil]), .completed])
  }

  @Test func noSignalsCompleteAtOnceAndOneIsEnough() {
    expectEqual(SignalRecorder(Numbers.zip([])).events, [.completed])
    expectEqual(SignalRecorder(Numbers.combineLatest([])).events, [.completed])
    expectEqual(SignalRecorder(Numbers.amb([])).events, [.completed])
    expectEqual(SignalRecorder(Numbers.zip([.from([1, 2])])).events, [.value([1]), .value([2]), .completed])
    expectEqual(SignalRecorder(Numbers.combineLatest([.fused(1)])).events, [.value([1]), .completed])
  }

  @Test func aFailureFailsAndDisposesTheOthers() {
    for make in [Signal.zip, Signal.combineLatest] as [@Sendable ([Numbers]) -> Signal<[Int], Fault>] {
      let sources = (0..<3).map { _ in Source<Int>() }
      let recorder = SignalRecorder(make(sources.map(\.signal)))
      sources[0].send(1)
      sources[1].fail()
      expectEqual(recorder.events, [.failed(.broken)])
      expect(!sources.contains { !$0.isIdle })
      let never = Source<Int>()
      expectEqual(SignalRecorder(make([.fail(.broken), never.signal])).events, [.failed(.broken)])
      expectEqual(never.subscriptionCount, 0, "a signal after the end is not started")
    }
  }

  @Test func disposalStopsAllInputs() {
    for signal in [zipped, combined] {
      let recorder = SignalRecorder(signal)
      sources[0].send(1)
      recorder.dispose()
      for source in sources { source.complete(with: 2) }
      expect(recorder.events.isEmpty)
      expect(isIdle)
    }
  }

  @Test func aReentrantValueIsDeliveredAfterwards() {
    let log = Log<[Int]>()
    combined.subscribe(
      onValue: { [sources] values in
        log.add(values)
        if values[0] < 3 { sources[0].send(values[0] + 1) }
        expectEqual(log.count, values[0], "not inside the delivery before")
      }, onFailure: { _ in })
    for source in sources { source.send(1) }
    expectEqual(log.entries, [[1, 1, 1], [2, 1, 1], [3, 1, 1]])
  }

  @Test func aDeallocatedSubjectEndsThemSilentlyWhenNothingMoreIsPossible() {
    for make in [Signal.zip, Signal.combineLatest] as [@Sendable ([Numbers]) -> Signal<[Int], Fault>] {
      let other = Source<Int>()
      let subject = Later<PublishSubject<Int, Fault>>()
      subject.value = PublishSubject()
      let recorder = SignalRecorder(make([subject.value?.signal ?? .empty, other.signal]))
      subject.value?.send(1)
      subject.value = nil
      other.complete(with: 2)
      expectEqual(recorder.events, [.value([1, 2])])
      expect(recorder.subscription.isDisposed)
      expect(other.isIdle)
    }
  }

  @Test func thousandsOfInputsTakeLinearTime() {
    let inputs = (0..<2000).map { _ in Source<Int>() }
    let recorder = SignalRecorder(Signal.zip(inputs.map(\.signal)).map { $0.count })
    let latest = SignalRecorder(Signal.combineLatest(inputs.map(\.signal)).map { $0[0] })
    for round in 1...3 { for input in inputs { input.send(round) } }
    expectEqual(recorder.values, [2000, 2000, 2000])
    expectEqual(latest.values.count, 1 + 2 * 2000)
  }

  @Test func inputsOnSeveralThreadsLoseNothing() async {
    let recorder = SignalRecorder(zipped)
    await together(3) { [sources] index in
      for number in 0..<1000 { sources[index].send(number) }
      sources[index].complete()
    }
    expectEqual(recorder.values, (0..<1000).map { [$0, $0, $0] })
    expect(recorder.isCompleted)
    expect(recorder.violations.isEmpty)
  }

  @Test func theStaticFormsInferTheirTypes() {
    let (number, text) = (Numbers.just(1), Signal<String, Fault>.just("a"))
    let zipped = Signal.zip(number, text)
    let combined = Signal.combineLatest(number, text)
    expectEqual(SignalRecorder(zipped.map { "\($0)\($1)" }).events, [.value("1a"), .completed])
    expectEqual(SignalRecorder(combined.map { "\($0)\($1)" }).events, [.value("1a"), .completed])
    let merged = Signal.merge(number, .just(2))
    expectEqual(SignalRecorder(merged).events, [.value(1), .value(2), .completed])
    expectEqual(SignalRecorder(Signal.merge(number, number, number, .just(4))).values, [1, 1, 1, 4])
    expectEqual(SignalRecorder(Signal.merge([number, number])).values, [1, 1])
    let pairs: Signal<(Int, String), Fault> = .zip(number, text)
    expectEqual(SignalRecorder(pairs).values.count, 1)
    expectEqual(SignalRecorder(Signal.zip([number, number])).values, [[1, 1]])
  }
}
