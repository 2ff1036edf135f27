import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// Promises 14 to 19: flattening.
struct ContractFlatteningTests {
  static let strategies: [FlattenStrategy] = [.merge, .merge(maxConcurrent: 2), .concat, .latest, .exhaust]

  let outer = Source<Int>()
  let inners = [Source<Int>(), Source<Int>(), Source<Int>(), Source<Int>()]

  private func flattened(_ strategy: FlattenStrategy) -> SignalRecorder<Int, Fault> {
    SignalRecorder(outer.signal.flatMap(strategy) { [inners] in inners[$0].signal })
  }

  private var subscriptions: [Int] { inners.map(\.subscriptionCount) }
  private var teardowns: [Int] { inners.map(\.teardownCount) }

  @Test func promise14_concatStartsTheNextOnlyWhenThePreviousHasCompleted() {
    let recorder = SignalRecorder(Signal.concat(inners.map { $0.signal }))
    expectEqual(subscriptions, [1, 0, 0, 0])
    inners[0].send(1)
    expectEqual(subscriptions, [1, 0, 0, 0])
    inners[0].complete()
    inners[1].complete(with: 2)
    expectEqual(subscriptions, [1, 1, 1, 0])
    inners[2].complete()
    inners[3].complete()
    expectEqual(recorder.events, [.value(1), .value(2), .completed])
    expectEqual(teardowns, [1, 1, 1, 1])
  }

  @Test func promise14_aFailureNeverStartsTheNext() {
    for signal in [
      inners[0].signal.concat(inners[1].signal), inners[0].signal.then(inners[1].signal),
      inners[0].signal.map { $0 }.concat(inners[1].signal).concat(inners[2].signal),
    ] {
      let recorder = SignalRecorder(signal)
      inners[0].fail()
      expectEqual(recorder.events, [.failed(.broken)])
    }
    let ready = SignalRecorder(Numbers.fail(.late).concat(inners[1].signal))
    expectEqual(ready.events, [.failed(.late)])
    expectEqual(subscriptions, [3, 0, 0, 0])
  }

  @Test(arguments: 0..<5)
  func promise14_takeOneNeverStartsTheNext(first: Int) {
    let signal: Numbers =
      switch first {
      case 0: .just(1)
      case 1: .stubborn(1)
      case 2: .fused(1)
      case 3: .from([1])
      default: .endless
      }
    let recorder = SignalRecorder(signal.concat(inners[0].signal).take(1))
    expectEqual(recorder.values.count, 1)
    expect(recorder.isCompleted)
    expectEqual(subscriptions, [0, 0, 0, 0])
  }

  @Test func promise14_disposingFreesWhatHasNotStarted() {
    let census = Census()
    func subscribe() -> Disposable {
      let suffix = (1...100).map { _ in
        let token = census.token()
        return Numbers { _ in
          token.use()
          return nil
        }
      }
      return suffix.reduce(inners[0].signal) { $0.concat($1) }.subscribe { _ in }
    }
    let handle = subscribe()
    expectEqual(census.alive, 100)
    handle.dispose()
    expectEqual(census.alive, 0)
  }

  @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]])
  func promise15_mergeCompletesWhenAllHaveInAnyOrder(order: [Int]) {
    // 0 stands for the outer one.
    let recorder = flattened(.merge)
    outer.send(1)
    outer.send(2)
    for (step, part) in order.enumerated() {
      expect(!recorder.hasEnded, "before step \(step)")
      if part == 0 { outer.complete() } else { inners[part].complete() }
    }
    expectEqual(recorder.events, [.completed])
  }

  @Test func promise15_anyFailureFailsAllAndDisposesEveryInner() {
    let recorder = flattened(.merge)
    for index in 0...2 { outer.send(index) }
    inners[1].fail()
    expectEqual(recorder.events, [.failed(.broken)])
    expect(outer.isIdle)
    expect(inners.allSatisfy(\.isIdle))
  }

  @Test func promise15_outerCompletionDisposesNothingAndOuterFailureDoes() {
    let recorder = flattened(.merge)
    outer.send(0)
    outer.send(1)
    outer.complete()
    expectEqual(teardowns, [0, 0, 0, 0])
    inners[0].send(5)
    expectEqual(recorder.events, [.value(5)])

    let (other, failing) = (Source<Int>(), SignalRecorder(Signal.merge([inners[2].signal, inners[3].signal])))
    let second = SignalRecorder(other.signal.flatMap { [inners] in inners[$0].signal })
    other.send(2)
    other.fail()
    expectEqual(second.events, [.failed(.broken)])
    expectEqual(inners[2].subscriptionCount, 2)
    expectEqual(inners[2].teardownCount, 1)
    failing.dispose()
  }

  @Test func promise15_concurrentProducersMergeWithoutLossOrOverlap() async {
    let sources = (0..<4).map { _ in Source<Int>() }
    let recorder = SignalRecorder(Signal.merge(sources.map { $0.signal }))
    await together(4) { thread in
      for number in 0..<2000 { sources[thread].send(thread * 10_000 + number) }
      sources[thread].complete()
    }
    expect(recorder.isCompleted)
    expect(recorder.violations.isEmpty)
    for thread in 0..<4 {
      let received = recorder.values.filter { $0 / 10_000 == thread }
      expectEqual(received, (0..<2000).map { thread * 10_000 + $0 })
    }
  }

  @Test func promise15_completionAndFailureFromManyThreadsEndItOnce() async {
    for _ in 1...200 {
      let (outer, sources) = (Source<Int>(), (0..<3).map { _ in Source<Int>() })
      let recorder = SignalRecorder(outer.signal.flatMap { sources[$0].signal })
      for index in 0..<3 { outer.send(index) }
      await together(4) { thread in
        switch thread {
        case 3: outer.complete()
        case 2: sources[2].fail()
        default:
          sources[thread].send(1)
          sources[thread].complete()
        }
      }
      expectEqual(recorder.failure, .broken)
      expect(recorder.violations.isEmpty)
      expect(outer.isIdle)
      expect(sources.allSatisfy { $0.isIdle })
    }
  }

  @Test(arguments: [1, 2, 3])
  func promise16_theRestWaitsAndStartsInOrderOfArrival(limit: Int) {
    let recorder = flattened(.merge(maxConcurrent: limit))
    for index in 0...3 { outer.send(index) }
    outer.complete()
    expectEqual(subscriptions, (0...3).map { $0 < limit ? 1 : 0 })
    for index in 0...3 {
      inners[index].complete(with: index)
      expectEqual(subscriptions, (0...3).map { $0 <= index + limit ? 1 : 0 })
    }
    expectEqual(recorder.events, [.value(0), .value(1), .value(2), .value(3), .completed])
  }

  @Test func promise16_synchronousInnersThatWaitAreRunInALoop() async {
    let count = 20_000
    let gate = Source<Int>()
    let recorder = SignalRecorder(
      Numbers.from(0...count).flatMap(.merge(maxConcurrent: 1)) { $0 == 0 ? gate.signal : .stubborn($0) })
    await onSmallThread { gate.complete() }
    expectEqual(recorder.values, Array(1...count))
    expect(recorder.isCompleted)
  }

  @Test func promise17_latestDisposesThePreviousBeforeSubscribingToTheNext() {
    let log = Log<String>()
    let recorder = SignalRecorder(
      outer.signal.flatMap(.latest) { number in
        Numbers { _ in
          log.add("start \(number)")
          return Disposable { log.add("stop \(number)") }
        }
      })
    outer.send(1)
    outer.send(2)
    recorder.dispose()
    expectEqual(log.entries, ["start 1", "stop 1", "start 2", "stop 2"])
  }

  @Test func promise17_lateEventsAreIgnoredAndBothMustComplete() {
    let recorder = flattened(.latest)
    outer.send(0)
    outer.send(1)
    inners[0].send(7)
    inners[0].complete()
    inners[0].fail()
    inners[1].send(8)
    outer.complete()
    expectEqual(recorder.events, [.value(8)])
    inners[1].complete()
    expectEqual(recorder.events, [.value(8), .completed])
  }

  @Test func promise17_theOuterMayCompleteLast() {
    let recorder = flattened(.latest)
    outer.send(0)
    inners[0].complete()
    expect(recorder.events.isEmpty)
    outer.complete()
    expectEqual(recorder.events, [.completed])
  }

  @Test func promise17_withTakeOneItDoesNotDeadlock() {
    for signal in [
      Numbers.endless.flatMap(.latest) { .stubborn($0) }, Numbers.endless.flatMap(.latest) { _ in .endless },
      Numbers.from(0..<10).flatMap(.latest) { .just($0) },
    ] {
      expectEqual(SignalRecorder(signal.take(1)).events, [.value(0), .completed])
    }
  }

  @Test func promise17_aValueThatArrivesWhileTheFirstInnerIsBeingStartedReplacesIt() {
    let (outer, log) = (Source<Int>(), Log<Int>())
    outer.signal.flatMap(.latest) { number in Numbers.stubborn(number, number + 1) }.subscribe(
      onValue: { value in
        log.add(value)
        if value == 10 { outer.send(20) }
      }, onFailure: { _ in })
    outer.send(10)
    expectEqual(log.entries, [10, 20, 21])
  }

  @Test func promise17_aValueThatIsSentDuringTheReplayReplacesTheInner() {
    let (current, log) = (CurrentValue(10), Log<Int>())
    let handle = current.signal.flatMap(.latest) { .from([$0, $0 + 1]) }.subscribe { value in
      log.add(value)
      if value == 10 { current.value = 20 }
    }
    expectEqual(log.entries, [10, 20, 21])
    current.value = 10
    expectEqual(log.entries, [10, 20, 21, 10, 20, 21])
    handle.dispose()
  }

  /// Each replayed value but the last has its inner signal, as in the order of the values.
  @Test func promise17_replayedValuesAreFlattenedInOrder() {
    let (source, log) = (Source<Int>(), Log<Int>())
    let shared = source.signal.share(replay: 3)
    let first = SignalRecorder(shared)
    for number in [10, 20, 30] { source.send(number) }
    let handle = shared.flatMap(.latest) { Numbers.stubborn($0, $0 + 1) }.subscribe(
      onValue: { value in
        log.add(value)
        if value == 30 { source.send(40) }
      }, onFailure: { _ in })
    expectEqual(log.entries, [10, 11, 20, 21, 30, 40, 41])
    expectEqual(first.values, [10, 20, 30, 40])
    handle.dispose()
  }

  @Test func promise17_aStartDuringTheLastValueOfTheSourceIsNotLost() {
    let (source, clock) = (Source<Int>(), VirtualScheduler())
    let signal = source.signal
      .on(value: { if $0 == 2 { clock.advance(by: .seconds(1)) } })
      .filter { $0 != 2 }.debounce(.seconds(1), on: clock)
      .flatMap(.latest) { [inners] in inners[$0].signal }
    let recorder = SignalRecorder(signal)
    source.send(1)
    // The debounced value arrives while the source delivers its last one, which goes no further.
    source.complete(with: 2)
    expectEqual(subscriptions, [0, 1, 0, 0])
    inners[1].complete(with: 10)
    expectEqual(recorder.values, [10])
    expect(recorder.hasEnded)
  }

  /// The flattening watches the first source; the others mark their deliveries.
  @Test(arguments: 0..<3)
  func promise17_thatHoldsForEachOfSeveralSources(index: Int) {
    let (sources, log) = ((0..<3).map { _ in Source<Int>() }, Log<Int>())
    Numbers.merge(sources.map(\.signal)).flatMap(.latest) { Numbers.stubborn($0, $0 + 1) }.subscribe(
      onValue: { value in
        log.add(value)
        if value == 10 { sources[index].send(20) }
      }, onFailure: { _ in })
    sources[index].send(10)
    expectEqual(log.entries, [10, 20, 21])
  }

  @Test func promise18_exhaustIgnoresNewInnersWhileOneRuns() {
    let recorder = flattened(.exhaust)
    outer.send(0)
    outer.send(1)
    inners[0].complete(with: 5)
    outer.send(2)
    outer.complete()
    inners[2].complete(with: 6)
    expectEqual(subscriptions, [1, 0, 1, 0])
    expectEqual(recorder.events, [.value(5), .value(6), .completed])
  }

  /// The value arrives when the start has returned.
  @Test func promise18_anInnerThatEndsDuringItsStartIgnoresNothing() {
    let (taps, log) = (Source<Int>(), Log<Int>())
    let pairs = taps.signal.flatMap(.exhaust) { Numbers.from([$0, $0 + 1]) }
    pairs.on(value: { if $0 == 10 { taps.send(20) } }).subscribe(onValue: { log.add($0) }, onFailure: { _ in })
    taps.send(10)
    expectEqual(log.entries, [10, 11, 20, 21])
  }

  @Test(arguments: ContractFlatteningTests.strategies, [1, 20, 31, 32, 33, 80])
  func promise19_howDeepAFlatteningStandsDoesNotChangeWhatItDoes(strategy: FlattenStrategy, levels: Int) {
    // Synchronous inners run one after another, so that every strategy sends what all of them send.
    @Sendable func nested(_ level: Int) -> Numbers {
      guard level < levels else { return Numbers.from([1, 2, 3]).flatMap(strategy) { .stubborn($0, $0 * 10) } }
      return Numbers.stubborn(0).flatMap { _ in nested(level + 1) }
    }
    expectEqual(SignalRecorder(nested(0)).values, [1, 10, 2, 20, 3, 30])
  }

  @Test(arguments: [1, 31, 32, 40, 100])
  func promise19_takeOneEndsNestedEndlessSignals(levels: Int) {
    let produced = Tally()
    // Not quite endless, so that it ends also if nobody stops it.
    let endless = Numbers.from(0..<300).on(value: { _ in produced.arrive() })
    @Sendable func nested(_ level: Int) -> Numbers {
      level < levels ? endless.flatMap { _ in nested(level + 1) } : .stubborn(7)
    }
    expectEqual(SignalRecorder(nested(0).take(1)).events, [.value(7), .completed])
    expect(produced.count <= 2 * levels)
  }

  @Test func promise19_aRecursionOf100000LevelsOnASmallStack() async {
    @Sendable func down(_ level: Int) -> Numbers {
      level == 100_000 ? .just(level) : Numbers.stubborn(level).flatMap { down($0 + 1) }
    }
    let log = Log<Event<Int, Fault>>()
    await onSmallThread { down(0).subscribe { log.add($0) } }
    expectEqual(log.entries, [.value(100_000), .completed])
  }
}
