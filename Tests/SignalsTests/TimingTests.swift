import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

struct TimingTests {
  private struct Late: Error, Equatable {}
  private typealias Numbers = Signal<Int, Late>
  private let clock = VirtualScheduler()
  private let source = PublishSubject<Int, Late>()

  /// Sends values at instants of the clock, counted in milliseconds.
  private func play(_ script: [(at: Int, value: Int)]) {
    for (instant, value) in script {
      clock.advance(by: .milliseconds(instant) - clock.now)
      source.send(value)
    }
  }

  @Test func timerSendsOnceAfterTheDelay() {
    let recorder = SignalRecorder(Signal<Void, Late>.timer(after: .seconds(1), on: clock))
    clock.advance(by: .milliseconds(999))
    expect(recorder.events.isEmpty)
    clock.advance(by: .milliseconds(1))
    expectEqual(recorder.values.count, 1)
    expect(recorder.isCompleted)
  }

  @Test func timerCountsFromTheSubscription() {
    let recorder = SignalRecorder(Numbers.timer(every: .milliseconds(10), on: clock))
    clock.advance(by: .milliseconds(35))
    expectEqual(recorder.values, [0, 1, 2])
    recorder.dispose()
    expectEqual(clock.pendingCount, 0)
  }

  @Test func delaySendsEachValueAndTheCompletionLater() {
    let recorder = SignalRecorder(source.signal.delay(.milliseconds(10), on: clock))
    play([(0, 1), (5, 2)])
    source.complete()
    clock.advance(by: .milliseconds(5))
    expectEqual(recorder.events, [.value(1)])
    clock.advance(by: .milliseconds(5))
    expectEqual(recorder.events, [.value(1), .value(2), .completed])
  }

  @Test func delayPassesAFailureAtOnceAndDropsWhatWaits() {
    let recorder = SignalRecorder(source.signal.delay(.milliseconds(10), on: clock))
    source.send(1)
    source.fail(Late())
    expectEqual(recorder.events, [.failed(Late())])
    expectEqual(clock.pendingCount, 0)
  }

  @Test func delayLeavesItsSchedulerToOtherWorkAfterSomeValues() {
    let recorder = SignalRecorder(source.signal.delay(.milliseconds(10), on: clock))
    let seen = Log<Int>()
    for value in 0..<1_000 { source.send(value) }
    source.complete()
    clock.schedule(after: .milliseconds(10)) { seen.add(recorder.events.count) }
    clock.advance(by: .milliseconds(10))
    expectEqual(seen.entries, [256])
    expectEqual(recorder.values, Array(0..<1_000))
    expect(recorder.isCompleted)
    expectEqual(clock.pendingCount, 0)
  }

  @Test func debounceSendsWhatIsFollowedBySilence() {
    let recorder = SignalRecorder(source.signal.debounce(.milliseconds(10), on: clock))
    play([(0, 1), (5, 2), (14, 3)])
    clock.advance(by: .milliseconds(9))
    expect(recorder.values.isEmpty)
    clock.advance(by: .milliseconds(1))
    expectEqual(recorder.values, [3])
    play([(30, 4)])
    source.complete()
    expectEqual(recorder.events, [.value(3)])
    clock.advance()
    expectEqual(recorder.events, [.value(3), .value(4), .completed])
    expectEqual(clock.pendingCount, 0)
  }

  @Test func throttleSendsTheFirstAndThenTheLatestOfEachInterval() {
    let recorder = SignalRecorder(source.signal.throttle(.milliseconds(10), on: clock))
    play([(0, 1), (3, 2), (6, 3)])
    expectEqual(recorder.values, [1])
    clock.advance(by: .milliseconds(4))
    expectEqual(recorder.values, [1, 3])
    clock.advance(by: .milliseconds(20))
    play([(40, 4)])
    expectEqual(recorder.values, [1, 3, 4])
    play([(41, 5)])
    source.complete()
    expectEqual(recorder.values, [1, 3, 4])
    clock.advance()
    expectEqual(recorder.events, [.value(1), .value(3), .value(4), .value(5), .completed])
    expectEqual(clock.pendingCount, 0)
  }

  /// The last value comes on the scheduler, as every late value; without one, the completion need not wait.
  @Test(arguments: [false, true]) func debounceAndThrottleDeliverTheLastValueOnTheScheduler(isFused: Bool) {
    let recorders = [
      SignalRecorder(source.signal.debounce(.milliseconds(10), on: clock)),
      SignalRecorder(source.signal.throttle(.milliseconds(10), on: clock)),
    ]
    play([(0, 1), (3, 2)])
    if isFused {
      let fused = Source<Int>()
      let others = [
        SignalRecorder(fused.signal.debounce(.milliseconds(10), on: clock)),
        SignalRecorder(fused.signal.throttle(.milliseconds(10), on: clock)),
      ]
      fused.complete(with: 3)
      // The first value of an interval passes at once.
      expectEqual(others.map(\.events), [[], [.value(3), .completed]])
      clock.advance()
      expectEqual(others.map(\.events), [[.value(3), .completed], [.value(3), .completed]])
    }
    source.complete()
    expectEqual(recorders.map(\.events), [[], [.value(1)]])
    clock.advance()
    expectEqual(recorders.map(\.events), [[.value(2), .completed], [.value(1), .value(2), .completed]])
    expectEqual(clock.pendingCount, 0)
  }

  @Test func debounceAndThrottleCompleteAtOnceWithoutAValue() {
    let recorders = [
      SignalRecorder(source.signal.debounce(.milliseconds(10), on: clock)),
      SignalRecorder(source.signal.throttle(.milliseconds(10), on: clock)),
    ]
    source.send(1)
    clock.advance(by: .milliseconds(10))
    source.complete()
    expectEqual(recorders.map(\.events), [[.value(1), .completed], [.value(1), .completed]])
    expectEqual(clock.pendingCount, 0)
  }

  @Test func disposalDropsTheLastValueThatTheSchedulerStillHas() {
    let recorder = SignalRecorder(source.signal.debounce(.milliseconds(10), on: clock))
    source.send(1)
    source.complete()
    recorder.dispose()
    expectEqual(clock.pendingCount, 0)
    clock.advance(by: .seconds(1))
    expectEqual(recorder.events, [])
  }

  @Test func timeoutFailsWhenItIsSilentForTooLong() {
    let recorder = SignalRecorder(source.signal.timeout(.milliseconds(10), failing: Late(), on: clock))
    play([(9, 1), (18, 2)])
    clock.advance(by: .milliseconds(10))
    source.send(3)
    expectEqual(recorder.events, [.value(1), .value(2), .failed(Late())])
    expectEqual(clock.pendingCount, 0)
  }

  @Test func timeoutKeepsOneTimerAndCountsFromTheLastValue() {
    let recorder = SignalRecorder(source.signal.timeout(.milliseconds(10), failing: Late(), on: clock))
    for _ in 0..<5 {
      clock.advance(by: .milliseconds(7))
      source.send(1)
      expectEqual(clock.pendingCount, 1)
    }
    clock.advance(by: .milliseconds(9))
    expectNil(recorder.failure)
    expectEqual(recorder.values.count, 5)
    clock.advance(by: .milliseconds(1))
    expect(recorder.failure != nil)
    expectEqual(clock.pendingCount, 0)
  }

  @Test func timeoutLetsAnEventInTimeWin() {
    let recorder = SignalRecorder(source.signal.timeout(.milliseconds(10), failing: Late(), on: clock))
    clock.advance(by: .milliseconds(9))
    source.complete()
    clock.advance(by: .milliseconds(9))
    expectEqual(recorder.events, [.completed])
  }

  @Test func timeoutDoesNotCountTheTimeOfAHandler() {
    let events = Log<Event<Int, Late>>()
    source.signal.timeout(.milliseconds(10), failing: Late(), on: clock).subscribe { [clock] event in
      events.add(event)
      if event == .value(1) { clock.advance(by: .milliseconds(15)) }
    }
    play([(9, 1), (33, 2)])
    clock.advance(by: .milliseconds(9))
    expectEqual(events.entries, [.value(1), .value(2)])
    clock.advance(by: .milliseconds(1))
    expectEqual(events.entries, [.value(1), .value(2), .failed(Late())])
    expectEqual(clock.pendingCount, 0)
  }

  @Test func disposalCancelsEveryTimer() {
    for signal in [
      source.signal.delay(.seconds(1), on: clock), source.signal.debounce(.seconds(1), on: clock),
      source.signal.throttle(.seconds(1), on: clock), source.signal.timeout(.seconds(1), failing: Late(), on: clock),
      .timer(every: .seconds(1), on: clock),
    ] {
      let recorder = SignalRecorder(signal)
      source.send(1)
      let count = recorder.events.count
      recorder.dispose()
      expectEqual(clock.pendingCount, 0)
      clock.advance(by: .seconds(2))
      expectEqual(recorder.events.count, count)
    }
  }
}
