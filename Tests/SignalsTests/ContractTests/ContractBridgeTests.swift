import Dispatch
import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// Promises 27 to 29: bridges.
struct ContractBridgeTests {
  let source = Source<Int>()

  @Test func promise27_valuesAndTypedFailuresComeThrough() async {
    var values: [Int] = []
    do throws(Fault) {
      for try await value in Numbers.from([1, 2]).concat(.fail(.late)).values { values.append(value) }
      Issue.record("it should have failed")
    } catch {
      expectEqual(error, .late)
    }
    expectEqual(values, [1, 2])
  }

  @Test func promise27_firstAndValueOfEverySource() async throws {
    try await expectEqual(Numbers.endless.first(), 0)
    try await expectNil(Numbers.empty.first())
    try await expectEqual(Numbers.stubborn(4, 5).value(), 4)
    await #expect(throws: Fault.broken) { try await Numbers.fail(.broken).first() }
    await #expect(throws: Fault.broken) { try await Numbers.fail(.broken).value() }
    await #expect(throws: EmptySignalError.self) { try await Numbers.empty.value() }
  }

  @Test func promise27_theSourceIsDisposedOnceThereIsAValue() async throws {
    async let first = source.signal.first()
    await subscribed(source)
    source.send(1)
    try await expectEqual(first, 1)
    expect(source.isIdle)
  }

  @Test("S0-22") func promise27_cancellingTheTaskDisposesTheSource() async {
    let tasks = [
      Task { [source] in (try? await source.signal.first()) == .some(nil) },
      Task { [source] in
        do {
          _ = try await source.signal.value()
          return false
        } catch { return error is CancellationError }
      },
      Task { [source] in
        var count = 0
        do { for try await _ in source.signal.values { count += 1 } } catch { return false }
        return count == 0
      },
    ]
    await subscribed(source, count: 3)
    for task in tasks { task.cancel() }
    for task in tasks { await expect(task.value) }
    expect(source.isIdle)
  }

  /// Work that blocks in its start has no other thread that could stop it.
  @Test func promise27_aCancellationStopsWorkThatIsStillStarting() async {
    let isStarted = Guarded(false)
    let signal = Numbers { observer in
      isStarted.set(true)
      while !observer.isDisposed { observer.send(1) }
      return nil
    }
    let task = Task { for try await value in signal.values where value == 2 {} }
    await until { isStarted.withLock { $0 } }
    task.cancel()
    _ = await task.result
  }

  @Test func promise27_aTaskCancelledBeforeItStartsDoesNotHang() async {
    let task = Task { [source] in
      while !Task.isCancelled { await Task.yield() }
      return try? await source.signal.first()
    }
    task.cancel()
    await expect(task.value == .some(nil))
    expect(source.isIdle)
  }

  @Test func promise27_droppingTheIteratorDisposesTheSource() async throws {
    for try await value in Numbers.from([1]).concat(source.signal).values where value == 1 { break }
    expect(source.isIdle)
  }

  @Test func promise27_noValueIsLostBetweenThreads() async throws {
    let count = 10_000
    let signal = Numbers { observer in
      DispatchQueue.global().async {
        for value in 0..<count { observer.send(value) }
        observer.complete()
      }
      return nil
    }
    var received: [Int] = []
    for try await value in signal.values { received.append(value) }
    expectEqual(received, Array(0..<count))
  }

  @Test func promise28_disposalCancelsTheTask() async {
    let (started, cancelled) = (PublishSubject<Int, Fault>(), PublishSubject<Int, Fault>())
    let waits = (SignalRecorder(started.signal), SignalRecorder(cancelled.signal))
    let recorder = SignalRecorder(
      Numbers.task { () async throws(Fault) -> Int in
        started.complete()
        await withTaskCancellationHandler {
          while !Task.isCancelled { await Task.yield() }
        } onCancel: {
          cancelled.complete()
        }
        return 1
      })
    await expect(waits.0.waitForEnd())
    recorder.dispose()
    await expect(waits.1.waitForEnd())
    expect(recorder.events.isEmpty)
  }

  @Test func promise28_whatATaskReturnsOrThrowsComesThrough() async {
    let value = SignalRecorder(Numbers.task { () async throws(Fault) -> Int in 3 })
    let failure = SignalRecorder(Numbers.task { () async throws(Fault) -> Int in throw .late })
    await expect(value.waitForEnd())
    await expect(failure.waitForEnd())
    expectEqual(value.events, [.value(3), .completed])
    expectEqual(failure.events, [.failed(.late)])
  }

  @Test @MainActor func promise29_mainHandlersRunOnTheMainActorInOrder() async {
    let (log, ended) = (Log<Int>(), PublishSubject<Int, Fault>())
    let end = SignalRecorder(ended.signal)
    Numbers.from(0..<1000).subscribe(on: .global).subscribeOnMain(
      onValue: { value in
        MainActor.assertIsolated()
        log.add(value)
      },
      onFailure: { _ in },
      onCompletion: {
        MainActor.assertIsolated()
        ended.complete()
      })
    await expect(end.waitForEnd())
    expectEqual(log.entries, Array(0..<1000))
  }

  @Test @MainActor func promise29_nothingArrivesAfterDisposalOnTheMainActor() async {
    for _ in 1...50 {
      let log = Log<Int>()
      let (handle, sent) = (
        source.signal.subscribeOnMain(onValue: { log.add($0) }, onFailure: { _ in }), PublishSubject<Int, Fault>()
      )
      let end = SignalRecorder(sent.signal)
      DispatchQueue.global().async { [source] in
        for value in 0..<100 { source.send(value) }
        sent.complete()
      }
      await Task.yield()
      handle.dispose()
      let count = log.count
      await expect(end.waitForEnd())
      await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
      expectEqual(log.count, count)
    }
  }

  @Test @MainActor func promise29_aFailureComesOnTheMainActorToo() async {
    let ended = PublishSubject<Fault, Never>()
    let end = SignalRecorder(ended.signal)
    Numbers.fail(.late).subscribe(on: .global).subscribeOnMain(
      onValue: { _ in },
      onFailure: { fault in
        MainActor.assertIsolated()
        ended.send(fault)
        ended.complete()
      })
    await expect(end.waitForEnd())
    expectEqual(end.values, [.late])
  }

  @Test @MainActor func promise29_whatIsSentOnTheMainThreadIsDeliveredBeforeTheSendReturns() {
    let (log, subject) = (Log<Int>(), PublishSubject<Int, Fault>())
    subject.signal.prepend(1).subscribeOnMain(
      onValue: { value in
        log.add(value)
        // It waits for the handler, and is delivered before the send from outside returns or in a later turn.
        if value == 2 { subject.send(3) }
      },
      onFailure: { _ in log.add(-1) })
    expectEqual(log.entries, [1])
    subject.send(2)
    expectEqual(log.entries.prefix(2), [1, 2])
  }

  @Test @MainActor func promise29_aValueOfTheMainThreadDoesNotOvertakeOneOfAnotherThread() async {
    let (log, subject) = (Log<Int>(), PublishSubject<Int, Never>())
    subject.signal.subscribeOnMain(onValue: { log.add($0) })
    whileTheMainThreadWaits { subject.send(1) }
    subject.send(2)
    expect(log.entries.isEmpty)
    await until { log.count == 2 }
    expectEqual(log.entries, [1, 2])
  }

  private func subscribed(_ source: Source<Int>, count: Int = 1) async {
    await until { source.subscriptionCount >= count }
  }
}
