import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// Promises 25 and 26: signals that end with something else.
struct ContractOwnerTests {
  let left = Source<Int>()
  let right = Source<Int>()

  @Test(arguments: [false, true])
  func promise25_takeUntilEndsAndDisposesBothSides(isByTrigger: Bool) {
    let recorder = SignalRecorder(left.signal.take(until: right.signal))
    left.send(1)
    if isByTrigger { right.send(0) } else { left.complete() }
    left.send(2)
    expectEqual(recorder.events, [.value(1), .completed])
    expect(left.isIdle)
    expect(right.isIdle)
  }

  @Test func promise25_aTriggerThatFiresFirstEndsItBeforeTheSourceStarts() {
    expectEqual(SignalRecorder(left.signal.take(until: Numbers.just(0))).events, [.completed])
    expectEqual(SignalRecorder(left.signal.take(until: Numbers.fail(.late))).events, [.failed(.late)])
    expectEqual(left.subscriptionCount, 0)
  }

  @Test(arguments: [false, true])
  func promise32_aTriggerThatCompletesWithoutAValueChangesNothing(isReady: Bool) {
    let recorder = SignalRecorder(left.signal.take(until: isReady ? .empty : right.signal))
    right.complete()
    left.send(1)
    left.complete()
    expectEqual(recorder.events, [.value(1), .completed])
    expect(left.isIdle)
  }

  @Test func promise25_takeDuringEndsWithTheLifetime() {
    var lifetime: Lifetime? = Lifetime()
    let signal = left.signal.take(during: lifetime!)
    let recorder = SignalRecorder(signal)
    left.send(1)
    lifetime = nil
    left.send(2)
    expectEqual(recorder.events, [.value(1), .completed])
    expect(left.isIdle)
    expectEqual(SignalRecorder(signal).events, [.completed])
    expectEqual(left.subscriptionCount, 1)
  }

  @Test func promise25_theTriggerMayFireInsideADelivery() {
    let log = Log<Event<Int, Fault>>()
    left.signal.take(until: right.signal).subscribe { [left, right] event in
      log.add(event)
      right.send(0)
      left.send(9)
    }
    left.send(1)
    expectEqual(log.entries, [.value(1), .completed])
    expect(left.isIdle)
    expect(right.isIdle)
  }

  @Test("S0-34 T11") func promise26_aGoneLifetimeEndsItSilentlyAndExactly() {
    var lifetime: Lifetime? = Lifetime()
    let watched = { [weak lifetime] in lifetime }
    let recorder = SignalRecorder(left.signal.bound(to: lifetime!))
    left.send(1)
    lifetime = nil
    expectNil(watched())
    expectEqual(left.teardownCount, 1)
    left.send(2)
    left.complete()
    expectEqual(recorder.events, [.value(1)])
  }

  /// On Apple's systems the runtime aborts if something is associated with an actor.
  @Test(arguments: [false, true])
  func promise26_aGoneObjectGetsNothingMoreAndItsSourceIsDisposed(isActor: Bool) async {
    final class Owner: Sendable {}
    actor Isolated {}
    var owner: (any AnyObject & Sendable)? = isActor ? Isolated() : Owner()
    let watched = { [weak owner] in owner }
    let isTornDown = PublishSubject<Int, Fault>()
    let torn = SignalRecorder(isTornDown.signal)
    let signal = Numbers { [left] observer in
      let inner = left.signal.subscribe { observer.send($0) }
      return Disposable {
        inner.dispose()
        isTornDown.complete()
      }
    }
    let recorder = SignalRecorder(signal.bound(to: owner!))
    left.send(1)
    owner = nil
    expectNil(watched())
    // Nothing is sent here: the disposal comes by itself, within 100 milliseconds and what a busy machine adds.
    await expect(torn.waitForEnd())
    left.send(2)
    expectEqual(recorder.events, [.value(1)])
  }

  @Test("T11") func promise26_noEventAfterTheDeinitOfAnObjectWhateverTheWatchSaysThen() {
    final class Owner: Sendable {}
    for _ in 1...50 {
      var owner: Owner? = Owner()
      let recorder = SignalRecorder(left.signal.bound(to: owner!))
      owner = nil
      left.send(1)
      expect(recorder.events.isEmpty)
    }
    expect(left.isIdle)
  }
}
