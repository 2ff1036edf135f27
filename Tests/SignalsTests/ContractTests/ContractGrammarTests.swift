import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// Promises 1 to 8: grammar and life.
struct ContractGrammarTests {
  let source = Source<Int>()

  @Test(arguments: [Event<Int, Fault>.completed, .failed(.broken)])
  func promise01_nothingFollowsATerminalEvent(ending: Event<Int, Fault>) {
    let recorder = SignalRecorder(source.signal)
    source.send(1)
    source.observers[0].send(ending)
    source.send(2)
    source.complete(with: 3)
    source.complete()
    source.fail()
    expectEqual(recorder.events, [.value(1), ending])
    expect(recorder.violations.isEmpty)
  }

  @Test(arguments: Stage.all, [RawTrial.Script.everyEnd, .failureFirst])
  func promise01_nothingFollowsATerminalEventOfAnyOperator(stage: Stage, script: RawTrial.Script) {
    let trial = RawTrial(script)
    let recorder = trial.run(stage.apply)
    expectEqual(recorder.events.filter { $0.isTerminal }.count, 1)
    expectEqual(trial.violations(recorder), [])
  }

  @Test func promise01_oneTerminalEventFromManyThreads() async {
    for _ in 1...200 {
      let source = Source<Int>()
      let recorder = SignalRecorder(source.signal.map { $0 })
      await together(4) { thread in
        source.send(thread)
        switch thread {
        case 0: source.complete()
        case 1: source.fail()
        default: source.complete(with: 10)
        }
        source.send(thread)
      }
      expectEqual(recorder.events.filter { $0.isTerminal }.count, 1)
      expect(recorder.hasEnded)
      expect(recorder.violations.isEmpty)
    }
  }

  @Test func promise02_everySubscriptionRunsTheWorkAnew() {
    let runs = Tally()
    let signal = Numbers { observer in
      runs.arrive()
      observer.complete(with: runs.count)
      return nil
    }
    .map { $0 }.scan(0, +)
    expectEqual(runs.count, 0)
    expectEqual(SignalRecorder(signal).values, [1])
    expectEqual(SignalRecorder(signal).values, [2])
  }

  @Test(arguments: Stage.all)
  func promise02_nothingRunsBeforeASubscription(stage: Stage) {
    let (parts, runs) = (Parts(), Tally())
    let signal = stage.apply(
      Signal { _ in
        runs.arrive()
        return nil
      }, parts)
    parts.clock.run()
    expectEqual(runs.count, 0)
    expectEqual(parts.side.subscriptionCount, 0)
    expectEqual(parts.clock.pendingCount, 0)
    withExtendedLifetime(signal) {}
  }

  @Test(arguments: Stage.all)
  func promise02_whatAnOperatorRemembersBelongsToOneSubscription(stage: Stage) {
    // Unless it says that it shares.
    guard stage.reuse != .shares else { return }
    let (parts, census) = (Parts(), Census())
    let signal = stage.apply(.from([1, 2, 2].map { census.token($0) }), parts).numbers
    func record() -> SignalRecorder<Int, Fault> {
      let recorder = SignalRecorder(signal)
      for _ in 1...4 {
        parts.side.complete(with: census.token(9))
        parts.clock.run()
      }
      return recorder
    }
    let (first, second) = (record(), record())
    expect(first.hasEnded)
    expectEqual(first.events, second.events)
  }

  @Test(arguments: Stage.all)
  func promise03_disposingIsSilentAndNothingFollows(stage: Stage) {
    let trial = RawTrial(.disposal)
    expectEqual(trial.violations(trial.run(stage.apply)), [])
  }

  @Test(arguments: Stage.all, [RawTrial.Script.disposalInHandler, .disposalInHandlerOfSynchronousSource])
  func promise03_disposingInsideAHandlerStopsTheSource(stage: Stage, script: RawTrial.Script) {
    let trial = RawTrial(script)
    let recorder = trial.run(stage.apply)
    expect(recorder.events.count <= 1)
    // A synchronous source has ended before a stage with a second one has heard of it.
    if stage.habit == .prompt && script == .disposalInHandler { expectEqual(recorder.events.count, 1) }
    expectEqual(trial.violations(recorder), [])
  }

  @Test(arguments: [false, true])
  func promise03_disposingInTheHandlerOfAFusedLastValueSuppressesTheCompletion(isMapped: Bool) {
    let (log, handle) = (Log<Event<Int, Fault>>(), Later<Disposable>())
    let signal = isMapped ? source.signal.map { $0 } : source.signal
    handle.value = signal.subscribe { event in
      log.add(event)
      handle.value?.dispose()
    }
    source.complete(with: 1)
    expectEqual(log.entries, [.value(1)])
  }

  @Test func promise03_noDeliveryBeginsAfterDisposeHasReturned() async {
    for round in 1...300 {
      let source = Source<Int>()
      let (over, begun, late) = (Tally(), Tally(), Tally())
      let handle = source.signal.map { $0 }.subscribe { _ in
        if over.count > 0 { late.arrive() }
        begun.arrive()
      }
      await together(2) { thread in
        if thread == 0 {
          for value in 0..<50 { source.send(value) }
        } else {
          spin { begun.count >= round % 50 }
          handle.dispose()
          over.arrive()
        }
      }
      // One delivery may have been in flight.
      expect(late.count <= 1)
    }
  }

  @Test func promise04_disposingTwiceTearsDownOnce() {
    let handle = source.signal.subscribe { _ in }
    handle.dispose()
    handle.dispose()
    expect(handle.isDisposed)
    expectEqual(source.teardownCount, 1)
  }

  @Test func promise04_teardownRunsOnceThoughDisposalRacesWithCompletion() async {
    for _ in 1...300 {
      let source = Source<Int>()
      let handle = source.signal.map { $0 }.take(10).subscribe { _ in }
      await together(3) { thread in
        switch thread {
        case 0: source.complete()
        case 1: source.fail()
        default: handle.dispose()
        }
      }
      expectEqual(source.teardownCount, 1)
    }
  }

  @Test func promise04_anActionRunsOnceFromManyThreads() async {
    for _ in 1...200 {
      let runs = Tally()
      let handle = Disposable { runs.arrive() }
      await together(4) { _ in handle.dispose() }
      expectEqual(runs.count, 1)
    }
  }

  @Test(arguments: [Event<Int, Fault>.completed, .failed(.broken), .value(1)])
  func promise05_teardownRunsAtEveryEnding(event: Event<Int, Fault>) {
    let handle = source.signal.subscribe { _ in }
    source.observers[0].send(event)
    if !event.isTerminal { handle.dispose() }
    expectEqual(source.teardownCount, 1)
  }

  @Test(arguments: 0..<4)
  func promise05_teardownReturnedAfterTheEndRunsAtOnce(ending: Int) {
    let runs = Tally()
    let signal = Numbers { observer in
      switch ending {
      case 0: observer.complete()
      case 1: observer.fail(.broken)
      case 2: observer.complete(with: 1)
      default: observer.send(1)
      }
      expect(observer.isDisposed)
      return Disposable { runs.arrive() }
    }
    SignalRecorder(signal.take(1)).dispose()
    expectEqual(runs.count, 1)
    let handle = signal.map { $0 }.concat(.never).take(ending == 3 ? 1 : 2).subscribe { _ in }
    expectEqual(runs.count, 2)
    withExtendedLifetime(handle) {}
  }

  @Test("S0-30") func promise06_discardingTheHandleDoesNotCancel() {
    let log = Log<Int>()
    source.signal.subscribe(onValue: { log.add($0) }, onFailure: { _ in })
    source.signal.map { $0 + 10 }.subscribe(onValue: { log.add($0) }, onFailure: { _ in })
    source.signal.flatMap { .just($0 + 20) }.take(5).subscribe(onValue: { log.add($0) }, onFailure: { _ in })
    source.send(1)
    source.send(2)
    expectEqual(log.entries, [1, 11, 21, 2, 12, 22])
    expectEqual(source.teardownCount, 0)
  }

  @Test func promise06_aBagAndALifetimeAndAnOwnerCancel() {
    do {
      let (bag, lifetime) = (DisposeBag(), Lifetime())
      source.signal.subscribe { _ in }.disposed(by: bag)
      source.signal.take(during: lifetime).subscribe { _ in }
      source.signal.bound(to: lifetime).subscribe { _ in }
      expectEqual(source.teardownCount, 0)
    }
    expectEqual(source.teardownCount, 3)
  }

  @Test func promise07_whatASubscriptionOwnsIsFreedThoughTheObserverAndTheHandleAreKept() {
    let census = Census()
    func subscribe(_ source: Source<Int>) -> Disposable {
      let token = census.token()
      return source.signal.subscribe { _ in token.use() }
    }
    let (completed, disposed) = (Source<Int>(), Source<Int>())
    let handles = [subscribe(completed), subscribe(disposed)]
    completed.complete()
    handles[1].dispose()
    expectEqual(census.alive, 0)
    withExtendedLifetime((handles, completed, disposed)) {}
  }

  @Test func promise07_theHandleDoesNotRetainTheSource() {
    let census = Census()
    func subscribe() -> Disposable {
      let token = census.token()
      return Numbers { _ in
        token.use()
        return nil
      }.subscribe { _ in }
    }
    let handle = subscribe()
    expectEqual(census.alive, 0)
    withExtendedLifetime(handle) {}
  }

  @Test func promise08_aDisposedBagDisposesAtOnce() {
    let bag = DisposeBag()
    bag.dispose()
    source.signal.subscribe { _ in }.disposed(by: bag)
    expectEqual(source.teardownCount, 1)
  }

  /// A handle that runs a closure when it is asked whether it was disposed.
  private final class Asked: Disposing {
    private let closure: @Sendable () -> Void

    init(_ closure: @escaping @Sendable () -> Void) { self.closure = closure }

    var isDisposed: Bool {
      closure()
      return false
    }

    func dispose() {}
  }

  /// The handle beyond the sixteenth makes the bag look for terminated subscriptions.
  @Test func promise03_aBagDisposesTheHandlesThatItIsLookingThroughToo() {
    let (bag, log, seen) = (DisposeBag(), Log<Int>(), Log<[Int]>())
    for number in 0..<16 { bag.add(Disposable { log.add(number) }) }
    let asked = Asked {
      bag.dispose()
      seen.add(log.entries)
    }
    bag.add(Disposable(source: asked))
    expectEqual(seen.entries, [(0..<16).reversed()])
  }

  @Test func promise03_aBagThatIsDisposedHasDisposedItsOldHandlesThoughOneIsAddedMeanwhile() async {
    let late = Tally()
    for _ in 1...2_000 {
      let (bag, runs) = (DisposeBag(), Tally())
      for _ in 0..<16 { bag.add(Disposable { runs.arrive() }) }
      await together(2) { thread in
        if thread == 0 { return bag.add(Disposable {}) }
        bag.dispose()
        if runs.count < 16 { late.arrive() }
      }
    }
    expectEqual(late.count, 0)
  }

  @Test func promise08_aSlotDisposesThePreviousAndAClosedOneAtOnce() {
    let log = Log<String>()
    let slot = SerialHandle()
    slot.set(Disposable { log.add("first") })
    slot.set(Disposable { log.add("second") })
    expectEqual(log.entries, ["first"])
    slot.dispose()
    expectEqual(log.entries, ["first", "second"])
    slot.set(Disposable { log.add("third") })
    expectEqual(log.entries, ["first", "second", "third"])
  }

  @Test func promise08_nothingAddedToABagIsForgottenThoughItIsDisposedMeanwhile() async {
    for _ in 1...100 {
      let (bag, runs) = (DisposeBag(), Tally())
      await together(3) { thread in
        if thread == 0 { return bag.dispose() }
        for _ in 1...50 { bag.add(Disposable { runs.arrive() }) }
      }
      expectEqual(runs.count, 100)
    }
  }
}
