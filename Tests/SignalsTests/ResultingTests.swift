import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

struct ResultingTests {
  private let clock = VirtualScheduler()
  private let source = Source<Int>()

  @Test func asResultSendsAFailureAsAValueAndCompletes() {
    let recorder = SignalRecorder(source.signal.asResult())
    source.send(1)
    source.fail()
    expectEqual(recorder.values, [.success(1), .failure(.broken)])
    expect(recorder.isCompleted)
    expectEqual(SignalRecorder(Numbers.fused(1).asResult()).values, [.success(1)])
    expect(SignalRecorder(Numbers.empty.asResult()).values.isEmpty)
    expect(SignalRecorder(Numbers.empty.asResult()).isCompleted)
  }

  @Test func replaceFailureSendsAValueInstead() {
    let safe: Signal<Int, Never> = source.signal.replaceFailure(with: 0)
    let recorder = SignalRecorder(safe)
    source.send(1)
    source.fail()
    expectEqual(recorder.events, [.value(1), .value(0), .completed])
    expectEqual(SignalRecorder(Numbers.fused(1).replaceFailure(with: 0)).events, [.value(1), .completed])
    expectEqual(SignalRecorder(Numbers.empty.replaceFailure(with: 0)).events, [.completed])
  }

  @Test func finallyRunsOnceAfterTheEnd() {
    for (events, end) in [
      (["value(1)", "completed"], { $0.complete(with: 1) }), (["completed"], { $0.complete() }),
      (["failed(SignalsTestSupport.Fault.broken)"], { $0.fail() }),
    ] as [([String], (Source<Int>) -> Void)] {
      let log = Log<String>()
      let source = Source<Int>()
      let handle = source.signal.finally { log.add("finally") }.subscribe { log.add("\($0)") }
      end(source)
      handle.dispose()
      expectEqual(log.entries, events + ["finally"])
    }
    let log = Log<String>()
    Numbers.from([1]).finally { log.add("finally") }.subscribe { log.add("\($0)") }
    expectEqual(log.entries, ["value(1)", "completed", "finally"])
  }

  @Test func finallyRunsOnceAtDisposalAfterTheSourceWasDisposed() {
    let wasIdle = Log<Bool>()
    let recorder = SignalRecorder(source.signal.finally { [source] in wasIdle.add(source.isIdle) })
    recorder.dispose()
    recorder.dispose()
    source.complete()
    expectEqual(wasIdle.entries, [true])
    let log = Log<String>()
    Numbers.endless.finally { log.add("finally") }.take(1).subscribe { log.add("\($0)") }
    expectEqual(log.entries, ["finally", "value(0)", "completed"], "take disposes its source first")
  }

  @Test func finallyRunsWhenTheSubjectIsDeallocated() {
    let subject = Later<PublishSubject<Int, Fault>>()
    subject.value = PublishSubject()
    let log = Log<String>()
    (subject.value?.signal ?? .empty).finally { log.add("finally") }.subscribe { log.add("\($0)") }
    subject.value = nil
    expectEqual(log.entries, ["finally"])
  }

  @Test func finallyRunsOnceIfTheLastValuesHandlerDisposes() {
    let log = Log<String>()
    let handle = Later<Disposable>()
    handle.value = source.signal.finally { log.add("finally") }.subscribe { event in
      handle.value?.dispose()
      log.add("\(event)")
    }
    source.complete(with: 1)
    expectEqual(log.entries, ["value(1)", "finally"])
  }

  @Test func pollSubscribesAgainUntilAValuePasses() {
    let recorder = SignalRecorder(source.signal.poll(every: .seconds(2), until: { $0 == 3 }, on: clock))
    source.complete(with: 1)
    clock.advance(by: .milliseconds(1999))
    expectEqual(source.subscriptionCount, 1)
    clock.advance(by: .milliseconds(1))
    expectEqual(source.subscriptionCount, 2)
    source.send(2)
    source.complete()
    clock.advance(by: .seconds(2))
    source.send(3)
    expectEqual(recorder.events, [.value(1), .value(2), .value(3), .completed])
    expect(source.isIdle)
    expectEqual(clock.pendingCount, 0)
    expect(SignalRecorder(Numbers.fused(3).poll(every: .zero, until: { $0 == 3 }, on: clock)).isCompleted)
  }

  @Test func pollEndsWithAFailureOrADisposal() {
    let recorder = SignalRecorder(source.signal.poll(every: .seconds(1), until: { _ in false }, on: clock))
    source.complete(with: 1)
    clock.advance(by: .seconds(1))
    source.fail()
    expectEqual(recorder.events, [.value(1), .failed(.broken)])
    let other = SignalRecorder(source.signal.poll(every: .seconds(1), until: { _ in false }, on: clock))
    source.complete()
    expectEqual(clock.pendingCount, 1)
    other.dispose()
    expectEqual(clock.pendingCount, 0)
    clock.advance(by: .seconds(2))
    expect(other.events.isEmpty)
    expect(source.isIdle)
  }

  @Test func pollDoesNotGrowWithItsAttempts() {
    let attempts = Tally()
    let census = Census()
    let attempt = Signal<Token, Fault>.deferred {
      attempts.arrive()
      return .just(census.token(attempts.count))
    }
    let most = Log<Int>()
    let handle = attempt.poll(
      every: .seconds(1),
      until: {
        if $0.number % 1000 == 0 { most.add(census.alive) }
        return $0.number == 10_000
      }, on: clock
    ).subscribe { _ in }
    clock.run(limit: 20_000)
    expectEqual(attempts.count, 10_000)
    expectEqual(Set(most.entries), [1])
    expect(handle.isDisposed)
  }
}
