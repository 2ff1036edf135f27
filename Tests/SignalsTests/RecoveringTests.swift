import HeliographTesting
import SignalsTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Signals

struct RecoveringTests {
  private struct Oops: Error, Equatable { let number: Int }
  private let clock = VirtualScheduler()

  /// Fails, each time with the number of the try, until a try succeeds.
  private final class Flaky: Sendable {
    let tries = Atomic<Int>(0)
    let successAt: Int

    init(successAt: Int) {
      self.successAt = successAt
    }

    var signal: Signal<Int, Oops> {
      .deferred { [self] in
        let number = tries.add(1, ordering: .relaxed).newValue
        return number >= successAt ? .just(number) : Signal.from([-number]).concat(.fail(Oops(number: number)))
      }
    }
  }

  @Test func catchContinuesWithAnother() {
    let signal = Flaky(successAt: 9).signal.catch { Signal<Int, Never>.just($0.number * 100) }
    expectEqual(SignalRecorder(signal).events, [.value(-1), .value(100), .completed])
    expectEqual(SignalRecorder(Signal<Int, Oops>.just(1).catch { _ in Signal<Int, Never>.just(2) }).values, [1])
  }

  /// The handler is given the failure at once; a signal that fails while it is being started returns its teardown later.
  @Test func theHandlerOfASignalThatFailsAtItsStartRunsBeforeTheTeardown() {
    let log = Log<String>()
    let signal = Signal<Int, Fault> { observer in
      observer.fail(.broken)
      return Disposable { log.add("close") }
    }
    signal.catch { _ in
      log.add("handler")
      return Signal<Int, Never> { _ in
        log.add("replacement")
        return nil
      }
    }.subscribe { _ in }
    expectEqual(log.entries, ["handler", "close", "replacement"])
  }

  /// The end comes from another thread while the signal is being started; its teardown takes longer than the start.
  @Test(arguments: ["catch", "then", "concat"])
  func theNextSignalStartsAfterATeardownOnAnotherThread(form: String) async {
    let (log, hasWorked, isSubscribed) = (Log<String>(), Tally(), Tally())
    let observer = Later<Observer<Int, Fault>>()
    let work = Signal<Int, Fault> {
      observer.value = $0
      return Disposable {
        log.add("stop")
        spin { isSubscribed.count > 0 }
        log.add("stopped")
      }
    }
    let first = Signal<Int, Fault>.stage { downstream in
      work.run(in: downstream)
      hasWorked.arrive()
      spin { log.count > 0 }
      return nil
    }
    let next = Signal<Int, Fault>.deferred {
      log.add("start")
      return .just(1)
    }
    let signal =
      switch form {
      case "catch": first.catch { _ in next }
      case "then": first.then(next)
      default: first.concat(next)
      }
    await together(2) { thread in
      if thread == 0 {
        signal.subscribe { _ in }
        return isSubscribed.arrive()
      }
      spin { hasWorked.count > 0 }
      if form == "catch" { observer.value?.fail(.broken) } else { observer.value?.complete() }
    }
    expectEqual(log.entries, ["stop", "stopped", "start"])
  }

  /// The failure comes from another thread while the signal is being started; only the replacement waits for the start.
  @Test func theHandlerRunsOnTheThreadThatDeliversTheFailure() async {
    let (log, hasFailed) = (Log<String>(), Tally())
    let observer = Later<Observer<Int, Fault>>()
    let first = Signal<Int, Fault> {
      observer.value = $0
      spin { hasFailed.count > 0 }
      return nil
    }
    let signal = first.catch { _ in
      log.add("handler")
      return Signal<Int, Fault>.deferred {
        log.add("replacement")
        return .just(1)
      }
    }
    await together(2) { thread in
      if thread == 0 {
        signal.subscribe { _ in }
        return log.add("subscribed")
      }
      spin { observer.value != nil }
      observer.value?.fail(.broken)
      log.add("failed")
      hasFailed.arrive()
    }
    expectEqual(log.entries, ["handler", "failed", "replacement", "subscribed"])
  }

  @Test func retryTriesAgainAndForwardsTheLastFailure() {
    expectEqual(
      SignalRecorder(Flaky(successAt: 3).signal.retry(2)).events,
      [
        .value(-1), .value(-2), .value(3), .completed,
      ])
    let failing = Flaky(successAt: 9)
    expectEqual(SignalRecorder(failing.signal.retry(2)).failure, Oops(number: 3))
    expectEqual(failing.tries.load(ordering: .relaxed), 3)
    expectEqual(SignalRecorder(Flaky(successAt: 9).signal.retry(0)).failure, Oops(number: 1))
  }

  @Test func retryCountsForEachSubscription() {
    let flaky = Flaky(successAt: .max)
    let signal = flaky.signal.retry(1)
    _ = SignalRecorder(signal)
    _ = SignalRecorder(signal)
    expectEqual(flaky.tries.load(ordering: .relaxed), 4)
  }

  @Test func retryWaitsAsThePolicySays() {
    let flaky = Flaky(successAt: .max)
    let recorder = SignalRecorder(
      flaky.signal.retry(
        4, .exponential(initialDelay: .seconds(1), maximumDelay: .seconds(3)), on: clock))
    for (seconds, tries) in [(1, 2), (2, 3), (3, 4), (3, 5)] {
      clock.advance(by: .seconds(seconds) - .milliseconds(1))
      expectEqual(flaky.tries.load(ordering: .relaxed), tries - 1)
      clock.advance(by: .milliseconds(1))
      expectEqual(flaky.tries.load(ordering: .relaxed), tries)
    }
    expectEqual(recorder.failure, Oops(number: 5))
  }

  @Test func retryTakesACountAndABackoff() {
    expectEqual(
      SignalRecorder(Flaky(successAt: 3).signal.retry(3)).events, [.value(-1), .value(-2), .value(3), .completed])
    expectEqual(SignalRecorder(Flaky(successAt: 9).signal.retry(2)).failure, Oops(number: 3))
    expectEqual(SignalRecorder(Flaky(successAt: 9).signal.retry(0)).failure, Oops(number: 1))
    expectEqual(SignalRecorder(Flaky(successAt: 9).signal.retry(-1)).failure, Oops(number: 1))
    let flaky = Flaky(successAt: .max)
    let recorder = SignalRecorder(flaky.signal.retry(3, .linear(.seconds(1)), on: clock))
    for (seconds, tries) in [(1, 2), (2, 3), (3, 4)] {
      clock.advance(by: .seconds(seconds) - .milliseconds(1))
      expectEqual(flaky.tries.load(ordering: .relaxed), tries - 1)
      clock.advance(by: .milliseconds(1))
      expectEqual(flaky.tries.load(ordering: .relaxed), tries)
    }
    expectEqual(recorder.failure, Oops(number: 4))
    expectEqual(clock.pendingCount, 0)
  }

  @Test func jitterShortensTheDelayOfARetry() {
    let flaky = Flaky(successAt: 2)
    let backoff = Backoff.exponential(initialDelay: .seconds(4), jitter: 0.5)
    let recorder = SignalRecorder(flaky.signal.retry(1, backoff, on: clock))
    clock.advance(by: .milliseconds(1999))
    expectEqual(flaky.tries.load(ordering: .relaxed), 1)
    clock.run()
    expect(clock.now <= .seconds(4))
    expect(recorder.isCompleted)
  }

  @Test func disposalCancelsAPendingRetry() {
    let flaky = Flaky(successAt: .max)
    let recorder = SignalRecorder(flaky.signal.retry(3, .constant(.seconds(1)), on: clock))
    recorder.dispose()
    clock.advance(by: .seconds(9))
    expectEqual(flaky.tries.load(ordering: .relaxed), 1)
    expectEqual(clock.pendingCount, 0)
  }

  @Test func retryWhenGetsTheFailureAndTheCountFromOne() {
    let asked = Mutex<[[Int]]>([])
    let signal = Flaky(successAt: .max).signal.retry(when: { failure, count in
      asked.withLock { $0.append([failure.number, count]) }
      return count < 3
    })
    expectEqual(SignalRecorder(signal).failure, Oops(number: 3))
    expectEqual(asked.withLock { $0 }, [[1, 1], [2, 2], [3, 3]])
  }

  @Test func ifEmptySendsAValueOnlyForNone() {
    expectEqual(SignalRecorder(Signal<Int, Oops>.empty.ifEmpty(7)).events, [.value(7), .completed])
    expectEqual(SignalRecorder(Signal<Int, Oops>.from([1]).ifEmpty(7)).events, [.value(1), .completed])
    expectEqual(SignalRecorder(Signal<Int, Oops>.just(1).ifEmpty(7)).events, [.value(1), .completed])
    expect(SignalRecorder(Signal<Int, Oops>.fail(Oops(number: 1)).ifEmpty(7)).values.isEmpty)
  }

  @Test func setFailureTypePassesValuesAndTheEnd() {
    expectEqual(
      SignalRecorder(Signal<Int, Never>.from([1, 2]).setFailureType(to: Oops.self)).events,
      [
        .value(1), .value(2), .completed,
      ])
    let one = Signal<Int, Never>.just(1).setFailureType(to: Oops.self)
    expectEqual(SignalRecorder(one.flatMap { Signal<Int, Oops>.fail(Oops(number: $0)) }).failure, Oops(number: 1))
    let subject = PublishSubject<Int, Never>()
    let recorder = SignalRecorder(subject.signal.setFailureType(to: Oops.self))
    recorder.dispose()
    subject.send(1)
    expect(recorder.events.isEmpty)
  }
}
