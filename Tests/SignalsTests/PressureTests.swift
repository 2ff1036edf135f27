import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

struct PressureTests {
  let clock = VirtualScheduler()
  let source = Source<Int>()
  let log = Log<Int>()

  private var pressure: Pressure? { source.observers.first?.pressure }

  private func send(_ numbers: Range<Int>) { for number in numbers { source.send(number) } }

  @Test func stopsAtTheLimitAndGoesOnWhenLittleIsLeft() {
    let pausing = PausingSource(100)
    let recorder = SignalRecorder(pausing.signal.observe(on: clock))
    expectEqual(pausing.sentCount, Pressure.highCount)
    clock.advance()
    expectEqual(recorder.values, Array(0..<100))
    expect(recorder.isCompleted)
    // Each pause lets at least twelve pass.
    expect(pausing.pauseCount <= 1 + 84 / 12)
    expectEqual(pausing.resumptionCount, pausing.pauseCount)
  }

  @Test func neverHasMoreThanTheLimitWaiting() {
    let pausing = PausingSource(1_000)
    let handle = pausing.signal.observe(on: clock).subscribe(
      onValue: { [log] in log.add(pausing.sentCount - $0) }, onFailure: { _ in })
    clock.advance()
    expectEqual(log.count, 1_000)
    expect((log.entries.max() ?? 0) <= Pressure.highCount)
    expect(handle.isDisposed)
  }

  @Test func aTimeoutWaitsForASourceThatIsPaused() {
    let time = VirtualScheduler()
    let recorder = SignalRecorder(
      Numbers.from(0..<100).timeout(.seconds(1), failing: .late, on: time).observe(on: clock))
    time.advance(by: .seconds(5))
    clock.advance()
    expectEqual(recorder.values, Array(0..<100))
    expect(recorder.isCompleted)
  }

  @Test func aSourceHasTheWholeTimeoutAfterAPause() throws {
    let time = VirtualScheduler()
    let recorder = SignalRecorder(source.signal.timeout(.seconds(1), failing: .late, on: time).observe(on: clock))
    // A source that asks.
    expect(try !require(pressure).isHigh)
    send(0..<16)
    time.advance(by: .milliseconds(900))
    clock.advance()
    time.advance(by: .milliseconds(200))
    clock.advance()
    expect(!recorder.hasEnded)
    time.advance(by: .seconds(1))
    clock.advance()
    expectEqual(recorder.failure, .late)
  }

  @Test(arguments: [6, 16, 40]) func aTimeoutDoesNotWaitForASourceThatNeverAsks(count: Int) {
    let time = VirtualScheduler()
    let recorder = SignalRecorder(source.signal.timeout(.seconds(1), failing: .late, on: time).observe(on: clock))
    send(0..<count)
    clock.advance()
    time.advance(by: .seconds(1))
    clock.advance()
    expectEqual(recorder.failure, .late)
  }

  @Test func aTimeoutDoesNotWaitForASourceThatHasNotPaused() throws {
    let time = VirtualScheduler()
    let recorder = SignalRecorder(source.signal.timeout(.seconds(1), failing: .late, on: time).observe(on: clock))
    expect(try !require(pressure).isHigh)
    send(0..<15)
    clock.advance()
    time.advance(by: .seconds(1))
    clock.advance()
    expectEqual(recorder.failure, .late)
  }

  @Test(arguments: [6, 40]) func aTimeoutFailsThoughALoopDoesNotRead(count: Int) async throws {
    let (time, kept) = (VirtualScheduler(), Later<Observer<Int, Fault>>())
    let signal = Numbers { observer in
      kept.value = observer
      for number in 0..<count { observer.send(number) }
      return nil
    }
    let iterator = signal.timeout(.seconds(1), failing: .late, on: time).values.makeAsyncIterator()
    expectEqual(try await iterator.next(), 0)
    time.advance(by: .seconds(1))
    expectEqual(kept.value?.isDisposed, true)
  }

  @Test func aTimeoutBetweenTwoSchedulersWaitsForASourceThatIsPaused() {
    let (time, middle, pausing) = (VirtualScheduler(), VirtualScheduler(), PausingSource(100))
    // The subscriber is served before all values have passed, so that there are never sixteen after the timeout.
    let values = pausing.signal.observe(on: middle).on(value: { [clock] in if $0 == 7 { clock.advance() } })
    let recorder = SignalRecorder(values.timeout(.seconds(1), failing: .late, on: time).observe(on: clock))
    middle.advance()
    expectEqual(pausing.sentCount, Pressure.highCount)
    expectEqual(recorder.values.count, 7)
    time.advance(by: .seconds(5))
    clock.advance()
    expectEqual(recorder.values.count, Pressure.highCount)
    expect(!recorder.hasEnded)
  }

  @Test func aTimeoutWaitsForASourceThatPausedBecauseOfAnother() {
    let (time, other) = (VirtualScheduler(), Source<Int>())
    let timed = source.signal.timeout(.seconds(1), failing: .late, on: time)
    let recorder = SignalRecorder(timed.merge(other.signal).observe(on: clock))
    let asked = pressure
    send(0..<6)
    for number in 0..<10 { other.send(number) }
    expectEqual(asked?.isHigh, true)
    time.advance(by: .seconds(1))
    clock.advance()
    expectEqual(recorder.values.count, 16)
    expect(!recorder.hasEnded)
  }

  @Test func isHighFromSixteenOnAndLowFromFour() throws {
    let recorder = SignalRecorder(source.signal.observe(on: clock))
    let pressure = try require(pressure)
    send(0..<15)
    expect(!pressure.isHigh)
    send(15..<16)
    expect(pressure.isHigh)
    pressure.whenLow { [log] in log.add(recorder.values.count) }
    expect(log.entries.isEmpty)
    clock.advance()
    expectEqual(log.entries, [12])
    expectEqual(recorder.values.count, 16)
    expect(!pressure.isHigh)
  }

  @Test func countsWhatWasTakenOutAndNotYetDelivered() throws {
    let counts = Log<[Bool]>()
    let handle = source.signal.observe(on: clock).subscribe(
      onValue: { [self] value in
        // Asked for the first time in the middle of a batch: 25 less what has been delivered.
        if value >= 8 { counts.add([self.pressure?.isHigh ?? false]) }
      }, onFailure: { _ in })
    send(0..<25)
    clock.advance()
    expectEqual(counts.entries.map { $0[0] }, [true, true] + Array(repeating: false, count: 15))
    handle.dispose()
  }

  @Test func aFirstQuestionLateKnowsWhatHasGathered() throws {
    let recorder = SignalRecorder(source.signal.observe(on: clock))
    send(0..<1_000)
    try expect(require(pressure).isHigh)
    clock.advance()
    try expect(!require(pressure).isHigh)
    expectEqual(recorder.values, Array(0..<1_000))
  }

  @Test func tellsAtOnceWhenItIsLowAndOnlyOnce() throws {
    let recorder = SignalRecorder(source.signal.observe(on: clock))
    let pressure = try require(pressure)
    send(0..<4)
    pressure.whenLow { [log] in log.add(1) }
    expectEqual(log.entries, [1])
    send(4..<5)
    pressure.whenLow { [log] in log.add(2) }
    pressure.whenLow { [log] in log.add(3) }
    expectEqual(log.entries, [1])
    clock.advance()
    send(5..<40)
    clock.advance()
    recorder.dispose()
    expectEqual(log.entries.sorted(), [1, 2, 3])
  }

  @Test func thereIsNoneWhereNobodyQueues() {
    let plain: [(Numbers) -> Numbers] = [
      { $0 }, { $0.map { $0 } }, { $0.take(5) }, { .just(0).concat($0) },
      { signal in .just(0).flatMap { _ in signal } },
      { $0.delay(.seconds(1), on: self.clock) },
    ]
    let handles = plain.map { $0(source.signal).subscribe { _ in } }
    expectEqual(source.observers.count, plain.count)
    expect(source.observers.allSatisfy { $0.pressure == nil })
    for handle in handles { handle.dispose() }
  }

  @Test func aHubAndATriggerAndWhatIsOnlyLookedAtAreNotHeldUp() {
    let held: [Numbers] = [
      source.signal.share(), source.signal.share(replay: 2), .never.take(until: source.signal),
      Numbers.never.withLatest(from: source.signal).map { $0 + $1 },
    ]
    let handles = held.map { $0.observe(on: clock).subscribe { _ in } }
    expectEqual(source.observers.count, held.count)
    expect(source.observers.allSatisfy { $0.pressure == nil })
    for handle in handles { handle.dispose() }
  }

  @Test func aSourceThatDoesNotAskLosesNothing() {
    let recorder = SignalRecorder(
      Numbers.from(0..<10_000).merge(source.signal).observe(on: clock).map { $0 }.observe(on: clock))
    send(10_000..<20_000)
    source.complete()
    clock.advance()
    // `from` pauses, so the other source's values come in between.
    expectEqual(recorder.values.filter { $0 < 10_000 }, Array(0..<10_000))
    expectEqual(recorder.values.filter { $0 >= 10_000 }, Array(10_000..<20_000))
    expect(recorder.isCompleted)
  }

  @Test func whatASourceKeepsDoesNotKeepTheSubscriber() async {
    let census = Census()
    var handle: Disposable?
    do {
      let token = census.token()
      handle = source.signal.observe(on: clock).map { $0 }.observe(on: clock).subscribe { _ in token.use() }
    }
    let kept = pressure
    send(0..<20)
    kept?.whenLow { [log] in log.add(1) }
    source.complete()
    expectEqual(census.alive, 1)
    clock.advance()
    expectEqual(census.alive, 0)
    expectEqual(log.entries, [1])
    expectEqual(kept?.isHigh, false)
    expectEqual(handle?.isDisposed, true)
  }

  /// Counts its iterators, which retain a token.
  private struct Counted: Sequence, Sendable {
    let census: Census

    func makeIterator() -> AnyIterator<Int> {
      let token = census.token()
      return AnyIterator {
        token.use()
        return token.number
      }
    }
  }

  @Test(arguments: 0..<3) func aPausedSequenceIsFreedWithItsSubscription(kind: Int) {
    let (census, stop) = (Census(), Source<Int>())
    let sequence = Numbers.from(Counted(census: census))
    let signal: Numbers =
      switch kind {
      case 0: stop.signal.prepend(0).flatMap(.latest) { $0 == 0 ? sequence : Numbers.never }
      case 1: sequence.take(until: stop.signal).concat(.never)
      default:
        sequence.amb(.never).take(until: stop.signal.flatMap { _ in Numbers.fail(.late) }).catch { _ in .never }
      }
    let recorder = SignalRecorder(signal.observe(on: VirtualScheduler()))
    expectEqual(census.alive, 1)
    stop.send(1)
    expectEqual(census.alive, 0)
    recorder.dispose()
  }
}
