import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// What a review found to be kept after its end, as everyday code writes it.
struct ReviewLifetimeTests {
  let census = Census()
  let a = Source<Int>()
  let b = Source<Int>()
  let c = Source<Int>()
  let clock = VirtualScheduler()

  @Test func aFlatMapAfterOneThatReturnedAReadySignalIsFreed() {
    func subscribe() -> Disposable {
      let token = census.token()
      return a.signal.flatMap { .just($0) }.flatMap { [b] _ -> Numbers in
        token.use()
        return b.signal
      }.subscribe { _ in }
    }
    let handle = subscribe()
    a.complete(with: 1)
    b.complete()
    expect(handle.isDisposed)
    expectEqual(census.alive, 0)
  }

  @Test func theHandlerIsFreedOnDisposalAfterTheLastInnerHasTakenOver() {
    func subscribe() -> Disposable {
      let token = census.token()
      return a.signal.flatMap { .just($0) }.flatMap { [b] _ in b.signal }.subscribe { _ in token.use() }
    }
    let handle = subscribe()
    a.complete(with: 1)
    handle.dispose()
    expect(a.isIdle)
    expect(b.isIdle)
    expectEqual(census.alive, 0)
  }

  @Test(arguments: [false, true])
  func aFlatMapAfterATimeoutOrAZipIsFreed(zips: Bool) {
    func subscribe() -> Disposable {
      let token = census.token()
      let first: Numbers =
        zips ? a.signal.zip(b.signal).map { $0 + $1 } : a.signal.timeout(.seconds(5), failing: .late, on: clock)
      return first.flatMap { [c] _ -> Numbers in
        token.use()
        return c.signal
      }.subscribe { _ in }
    }
    let handle = subscribe()
    a.complete(with: 1)
    b.complete(with: 2)
    c.complete()
    expect(handle.isDisposed)
    expectEqual(census.alive, 0)
  }

  @Test(arguments: [0, 1]) func theTeardownOfASharedSourceThatHasDroppedItsObserverRuns(count: Int) {
    let census = census
    func subscribe() -> Disposable {
      let token = census.token()
      let source = Numbers { _ in Disposable { token.use() } }
      return source.share(replay: count).subscribe { _ in }
    }
    let handle = subscribe()
    handle.dispose()
    expectEqual(census.alive, 0, "the teardown has run and was released")
  }

  @Test func aFlatMapAfterASharedSignalIsFreed() {
    func subscribe() -> Disposable {
      let token = census.token()
      return a.signal.replayLazily().flatMap { [b] _ -> Numbers in
        token.use()
        return b.signal
      }.subscribe { _ in }
    }
    let handle = subscribe()
    a.complete(with: 1)
    b.complete()
    expect(handle.isDisposed)
    expectEqual(census.alive, 0)
  }

  @Test func theReplayBufferOfASharedSubjectIsFreedWithTheSignal() {
    func run() {
      let subject = PublishSubject<Token, Fault>()
      let shared = subject.signal.share(replay: 1)
      let handle = shared.subscribe { _ in }
      subject.send(census.token())
      subject.complete()
      withExtendedLifetime(handle) {}
    }
    run()
    expectEqual(census.alive, 0)
  }

  @Test func innersThatHaveCompletedBehindASchedulerAreFreedWhileTheOuterLives() {
    let trigger = Source<Int>()
    let handle = trigger.signal.flatMap { [census, clock] _ -> Numbers in
      let token = census.token()
      return Numbers.stubborn(1).zip(.stubborn(2)).map { left, right -> Int in
        token.use()
        return left + right
      }.observe(on: clock)
    }.subscribe { _ in }
    for number in 1...3 {
      trigger.send(number)
      clock.run()
    }
    expectEqual(census.alive, 0)
    expect(!handle.isDisposed)
  }

  @Test func anInnerThatTakesMoreThanItsSubjectSentIsFreedWhileTheOuterLives() {
    let (trigger, subject) = (Source<Int>(), PublishSubject<Int, Fault>())
    let handle = trigger.signal.flatMap { [census] _ -> Numbers in
      let token = census.token()
      return subject.signal.map { value -> Int in
        token.use()
        return value
      }.take(5)
    }.subscribe { _ in }
    trigger.send(1)
    subject.complete()
    expectEqual(census.alive, 0)
    withExtendedLifetime(handle) {}
  }

  @Test func aFlatMapWhoseOuterIsDoneAndWhoseInnerFlattensIsFreed() {
    func subscribe() -> Disposable {
      let token = census.token()
      return a.signal.flatMap { [b, c] _ -> Numbers in
        b.signal.flatMap { _ -> Numbers in
          token.use()
          return c.signal
        }
      }.subscribe { _ in }
    }
    let handle = subscribe()
    a.send(1)
    a.complete()
    b.complete(with: 2)
    c.complete()
    expect(handle.isDisposed)
    expectEqual(census.alive, 0)
  }

  @Test func aRecursionThroughATimeoutKeepsNoLevel() {
    @Sendable func down(_ level: Int) -> Numbers {
      let token = census.token()
      return Numbers { [clock] observer in
        clock.schedule(after: .seconds(1)) { observer.complete(with: level) }
      }
      .timeout(.seconds(5), failing: .late, on: clock)
      .flatMap { value -> Numbers in
        token.use()
        return value == 1000 ? .just(value) : down(value + 1)
      }
    }
    let recorder = SignalRecorder(down(0))
    clock.run(limit: 100_000)
    expectEqual(recorder.values, [1000])
    expect(census.alive < 10)
  }

  #if compiler(>=6.3) && (os(macOS) || os(Linux) || os(Windows))
  @Test func rightNestedConcatsAreFreedOnASmallStack() async {
    await #expect(processExitsWith: .success) {
      await onSmallThread {
        var signal = Numbers.just(0)
        for number in 1..<100_000 { signal = Numbers.just(number).concat(signal) }
        withExtendedLifetime(signal) {}
      }
    }
  }
  #endif

  @Test func aDroppedHandleBehindASchedulerKeepsNothingAfterTheEnd() {
    func subscribe() {
      let token = census.token()
      a.signal.zip(b.signal).map { left, right -> Int in
        token.use()
        return left + right
      }
      .observe(on: clock).subscribe { _ in }
    }
    subscribe()
    a.complete(with: 1)
    b.complete(with: 2)
    clock.run()
    expect(a.isIdle)
    expect(b.isIdle)
    expectEqual(census.alive, 0)
  }
}
