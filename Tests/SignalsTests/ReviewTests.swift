import Dispatch
import Foundation
import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// What a review found to be delivered wrongly, too late or never.
struct ReviewTests {
  let a = Source<Int>()
  let clock = VirtualScheduler()

  @Test func anActionThatIsCancelledByItsOwnWorkRunsAgain() {
    let box = Later<Action<Int, Int, Fault>>()
    let action = Action<Int, Int, Fault> { input in
      if input == 1 { box.value?.cancel() }
      return .just(input)
    }
    box.value = action
    action.execute(1)
    expect(action.execute(2) != nil)
    box.value = nil
  }

  @Test func aFailureOfAReplacedInnerNeitherOverlapsNorFollowsALaterInner() async {
    for _ in 1...2_000 {
      let (outer, old) = (Source<Int>(), Source<Int>())
      let recorder = SignalRecorder(
        outer.signal.flatMap(.latest) { number -> Numbers in number == 0 ? old.signal : .just(number) })
      outer.send(0)
      await together(2) { thread in
        if thread == 0 { return old.fail() }
        for number in 1...50 { outer.send(number) }
      }
      expect(recorder.violations.isEmpty)
      expect(recorder.values.isEmpty || recorder.failure == nil)
    }
  }

  /// Lets the first timer fire before `schedule` has returned, as preemption may.
  private final class PreemptedScheduler: SignalScheduler {
    let clock = VirtualScheduler()
    let calls = Tally()
    var now: Duration { clock.now }

    func schedule(_ work: @escaping @Sendable () -> Void) { clock.schedule(work) }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
      calls.arrive()
      let isFirst = calls.count == 1
      let handle = clock.schedule(after: delay, work)
      if isFirst { clock.advance(by: delay) }
      return handle
    }
  }

  @Test func aTimerGoesOnThoughItFiredBeforeItsHandleWasThere() {
    let scheduler = PreemptedScheduler()
    let recorder = SignalRecorder(Numbers.timer(every: .milliseconds(1), on: scheduler))
    scheduler.clock.advance(by: .milliseconds(10))
    expect(recorder.values.count > 1)
  }

  @Test func otherWorkOfASchedulerGetsItsTurnBeforeAllValuesAreDelivered() async {
    let queue = DispatchQueue(label: "ui")
    let delivered = Tally()
    queue.suspend()
    let handle = a.signal.observe(on: DispatchScheduler(queue)).subscribe { _ in delivered.arrive() }
    for value in 0..<100_000 { a.send(value) }
    let seen = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: delivered.count) }
      queue.resume()
    }
    expect(seen <= 1_000)
    handle.dispose()
  }

  @Test func subscribingReturnsThoughAnotherThreadSendsFasterThanTheHandlerRuns() {
    let (current, isSending, hasReturned, delivered) = (CurrentValue(0), Tally(), Tally(), Tally())
    Thread.detachNewThread {
      isSending.arrive()
      while hasReturned.count == 0 { current.send(current.value + 1) }
    }
    spin { isSending.count > 0 }
    let handle = current.signal.subscribe(onValue: { _ in
      delivered.arrive()
      for _ in 0..<500 { _ = delivered.count }
    })
    // It returns at all: the other thread sends until then.
    hasReturned.arrive()
    expect(delivered.count > 0)
    handle.dispose()
  }

  @Test func aCurrentValueIsTheFirstForASubscriberThatComesFromItsHandler() {
    let (current, seen) = (CurrentValue(0), Log<Int>())
    let handle = current.signal.subscribe(onValue: { value in
      guard value == 1 else { return }
      current.value = 2
      current.signal.take(1).subscribe(onValue: { seen.add($0) })
    })
    current.value = 1
    expectEqual(seen.entries, [2])
    handle.dispose()
  }

  @Test func boundBeforeASchedulerDropsWhatWaitsThereAndDisposesTheHandle() {
    var lifetime: Lifetime? = Lifetime()
    let recorder = SignalRecorder(a.signal.bound(to: lifetime!).observe(on: clock))
    a.send(1)
    lifetime = nil
    clock.run()
    expect(recorder.events.isEmpty)
    expect(recorder.subscription.isDisposed)
  }

  @Test func theNextInnerStartsAfterTheTeardownOfThePrevious() {
    let (log, first) = (Log<String>(), Later<Observer<Int, Fault>>())
    let recorder = SignalRecorder(
      Numbers.from([1, 2]).flatMap(.concat) { number -> Numbers in
        Numbers { observer in
          log.add("start \(number)")
          if number == 1 { first.value = observer }
          return Disposable { log.add("stop \(number)") }
        }
      })
    first.value?.complete()
    expectEqual(log.entries, ["start 1", "stop 1", "start 2"])
    recorder.dispose()
  }

  @Test func aCancelledTaskDoesNotStartTheWork() async {
    let task = Task { [a] in
      while !Task.isCancelled { await Task.yield() }
      return try? await a.signal.first()
    }
    task.cancel()
    _ = await task.value
    expectEqual(a.subscriptionCount, 0)
  }

  @Test(arguments: [false, true])
  func nothingIsDeliveredAfterATransformThatDisposes(isFused: Bool) {
    let (handle, log) = (Later<Disposable>(), Log<Int>())
    handle.value = a.signal.flatMap { value -> Numbers in
      handle.value?.dispose()
      return .just(value)
    }
    .map { value -> Int in
      log.add(value)
      return value
    }
    .subscribe { _ in }
    if isFused { a.complete(with: 1) } else { a.send(1) }
    expectEqual(log.entries, [])
  }

  @Test func aLoopOverASubjectEndsWhenTheSubjectIsDeallocated() async {
    let (subject, started, ended) = (Later<PublishSubject<Int, Never>>(), Tally(), PublishSubject<Int, Never>())
    subject.value = PublishSubject()
    let end = SignalRecorder(ended.signal)
    let task = Task {
      // Nothing here but the iterator: the signal would keep the subject.
      let values = subject.value.map { $0.signal.on(start: { started.arrive() }).values.makeAsyncIterator() }
      while await values?.next() != nil {}
      ended.complete()
    }
    await until { started.count != 0 }
    subject.value = nil
    await expect(end.waitForEnd())
    task.cancel()
    await task.value
  }
}
