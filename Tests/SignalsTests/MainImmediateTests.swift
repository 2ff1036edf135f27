import Dispatch
import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// The scheduler `.mainImmediate`.
@Suite @MainActor struct MainImmediateTests {
  let log = Log<Int>()
  let scheduler: DispatchScheduler = .mainImmediate

  @Test func workRunsAtOnceOnTheMainQueue() {
    scheduler.schedule { [log] in log.add(1) }
    expectEqual(log.entries, [1])
  }

  @Test func workFromAnotherThreadRunsOnTheMainActorInOrder() async {
    whileTheMainThreadWaits { [scheduler, log] in
      for number in 1...3 {
        scheduler.schedule {
          MainActor.assertIsolated()
          log.add(number)
        }
      }
    }
    expect(log.entries.isEmpty)
    await mainQueueTurn()
    expectEqual(log.entries, [1, 2, 3])
  }

  @Test func workOnTheMainThreadInsideAnotherQueueWaitsForTheMainQueue() async {
    // blocks: no longer than the call; the queue has no other work.
    DispatchQueue(label: "other").sync { scheduler.schedule { [log] in log.add(1) } }
    expect(log.entries.isEmpty)
    await mainQueueTurn()
    expectEqual(log.entries, [1])
  }

  @Test func workDoesNotOvertakeWhatWaits() async {
    whileTheMainThreadWaits { [scheduler, log] in scheduler.schedule { log.add(1) } }
    scheduler.schedule { [log] in log.add(2) }
    expect(log.entries.isEmpty)
    await mainQueueTurn()
    expectEqual(log.entries, [1, 2])
    scheduler.schedule { [log] in log.add(3) }
    expectEqual(log.entries, [1, 2, 3])
  }

  @Test func workThatSchedulesMoreDoesNotRecurse() async {
    scheduler.schedule { [scheduler, log] in
      scheduler.schedule { log.add(2) }
      log.add(1)
    }
    expectEqual(log.entries, [1])
    await mainQueueTurn()
    expectEqual(log.entries, [1, 2])
  }

  @Test func delayedWorkRunsOnTheMainActorUnlessItIsDisposed() async {
    let ran = Moment()
    scheduler.schedule(after: .zero) { [log] in log.add(1) }.dispose()
    scheduler.schedule(after: .milliseconds(1)) {
      MainActor.assertIsolated()
      ran.arrive()
    }
    await expect(ran.wait())
    expect(log.entries.isEmpty)
  }

  @Test func observeOnDeliversAtOnceOnTheMainQueue() {
    let source = Source<Int>()
    let recorder = SignalRecorder(source.signal.observe(on: .mainImmediate))
    source.send(1)
    expectEqual(recorder.values, [1])
    source.complete(with: 2)
    expectEqual(recorder.events, [.value(1), .value(2), .completed])
    expect(source.isIdle)
  }

  @Test func aValueSentOnTheMainQueueDoesNotOvertakeValuesThatWait() async {
    let source = Source<Int>()
    let recorder = SignalRecorder(source.signal.observe(on: .mainImmediate))
    whileTheMainThreadWaits {
      source.send(1)
      source.send(2)
    }
    source.send(3)
    expect(recorder.values.isEmpty)
    // Not one turn of the queue: the relay ends its turn after a millisecond.
    await expect(recorder.wait { $0.count >= 3 })
    expectEqual(recorder.values, [1, 2, 3])
    source.send(4)
    expectEqual(recorder.values, [1, 2, 3, 4])
    expect(recorder.violations.isEmpty)
  }

  @Test func valuesThatAreSentInHandlersNeitherRecurseNorHoldTheMainQueue() async {
    let count = 200_000
    let subject = PublishSubject<Int, Never>()
    let handle = subject.signal.observe(on: .mainImmediate).subscribe { event in
      guard case .value(let value) = event else { return }
      if value < count { subject.send(value + 1) } else { subject.complete() }
    }
    let end = SignalRecorder(subject.signal)
    // From another thread, so that the handler runs in a turn of the main queue and not inside the subject's delivery.
    whileTheMainThreadWaits { subject.send(1) }
    let seen = await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume(returning: end.values.count) }
    }
    // A turn delivers 256; one or two may have passed by now.
    expect(seen <= 1024)
    await expect(end.waitForEnd())
    expectEqual(end.values.last, count)
    handle.dispose()
  }

  @Test func nothingIsDeliveredAfterADisposal() async {
    let source = Source<Int>()
    let recorder = SignalRecorder(source.signal.observe(on: .mainImmediate))
    whileTheMainThreadWaits { source.send(1) }
    recorder.dispose()
    await mainQueueTurn()
    expect(recorder.events.isEmpty)
    expect(source.isIdle)
  }
}
