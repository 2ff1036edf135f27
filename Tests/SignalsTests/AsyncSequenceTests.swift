import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// Signals that iterate an async sequence.
struct AsyncSequenceTests {
  /// The numbers from 0, read one by one; it counts them and may fail at its end.
  private struct Counting: AsyncSequence, Sendable {
    let count: Int
    var fault: Fault?
    let reads = Tally()
    let iterations = Tally()
    var farewell: Farewell?

    struct Iterator: AsyncIteratorProtocol {
      let sequence: Counting
      var next = 0

      mutating func next(isolation actor: isolated (any Actor)?) async throws(Fault) -> Int? {
        if next == sequence.count {
          if let fault = sequence.fault { throw fault }
          return nil
        }
        defer { next += 1 }
        sequence.reads.arrive()
        return next
      }

      mutating func next() async throws(Fault) -> Int? { try await next(isolation: nil) }
    }

    func makeAsyncIterator() -> Iterator {
      iterations.arrive()
      return Iterator(sequence: self)
    }
  }

  @Test func theValuesAndTheEndOfASequenceComeThrough() async {
    let (stream, input) = AsyncStream.makeStream(of: Int.self)
    for value in 1...3 { input.yield(value) }
    input.finish()
    let signal: Signal<Int, Never> = Signal(stream)
    let recorder = SignalRecorder(signal)
    await expect(recorder.waitForEnd())
    expectEqual(recorder.events, [.value(1), .value(2), .value(3), .completed])
  }

  @Test func aFailureKeepsItsType() async {
    let recorder: SignalRecorder<Int, Fault> = SignalRecorder(Signal(Counting(count: 2, fault: .late)))
    await expect(recorder.waitForEnd())
    expectEqual(recorder.events, [.value(0), .value(1), .failed(.late)])
  }

  @Test func aSequenceThatThrowsAnythingFailsWithAnyError() async {
    let (stream, input) = AsyncThrowingStream.makeStream(of: Int.self)
    input.yield(1)
    input.finish(throwing: Fault.broken)
    let recorder: SignalRecorder<Int, any Error> = SignalRecorder(Signal(stream))
    await expect(recorder.waitForEnd())
    expectEqual(recorder.values, [1])
    expectEqual(recorder.failure as? Fault, .broken)
  }

  @Test func eachSubscriptionIteratesAnewAndNoneRunsBefore() async {
    let sequence = Counting(count: 3)
    let signal = Signal(sequence)
    expectEqual(sequence.iterations.count, 0)
    let recorders = (SignalRecorder(signal), SignalRecorder(signal))
    await expect(recorders.0.waitForEnd())
    await expect(recorders.1.waitForEnd())
    expectEqual(recorders.0.values, [0, 1, 2])
    expectEqual(recorders.1.values, [0, 1, 2])
    expectEqual(sequence.iterations.count, 2)
  }

  @Test func disposalCancelsTheTaskSilently() async {
    let (stream, input) = AsyncStream.makeStream(of: Int.self)
    let cancelled = Moment()
    input.onTermination = { if case .cancelled = $0 { cancelled.arrive() } }
    let recorder = SignalRecorder(Signal(stream))
    // Whether its task has begun to wait for a value by now or not.
    recorder.dispose()
    await expect(cancelled.wait())
    input.yield(1)
    expect(recorder.events.isEmpty)
  }

  @Test func aSubscriptionThatIsDisposedInItsHandlerReadsNoMore() async {
    let freed = Moment()
    let reads = Tally()
    do {
      let sequence = Counting(count: .max, farewell: Farewell { freed.arrive() })
      let recorder = SignalRecorder(Signal(sequence).on(value: { _ in reads.arrive() }).take(3))
      await expect(recorder.waitForEnd())
      expectEqual(recorder.values, [0, 1, 2])
      expectEqual(sequence.reads.count, 3)
    }
    await expect(freed.wait())
    expectEqual(reads.count, 3)
  }

  @Test(arguments: [nil, Fault.broken])
  func theSequenceAndTheHandlerAreFreedAfterTheEnd(fault: Fault?) async {
    let (census, freed) = (Census(), Moment())
    func subscribe() async -> Disposable {
      let (token, ended) = (census.token(), Moment())
      let sequence = Counting(count: 2, fault: fault, farewell: Farewell { freed.arrive() })
      let handle = Signal(sequence).observe(on: .immediate).subscribe { event in
        token.use()
        if event.isTerminal { ended.arrive() }
      }
      await expect(ended.wait())
      return handle
    }
    let handle = await subscribe()
    await expect(freed.wait())
    expectEqual(census.alive, 0)
    expect(handle.isDisposed)
  }

  @Test func readingPausesWhileValuesWaitDownstream() async throws {
    let sequence = Counting(count: 1_000)
    var received = 0
    for try await value in Signal(sequence).values {
      expectEqual(value, received)
      received += 1
      expect(sequence.reads.count - received <= Pressure.highCount)
      if received % 10 == 0 { await Task.yield() }
    }
    expectEqual(received, 1_000)
  }

  @Test func aPausedReaderEndsWhenTheLoopIsLeft() async throws {
    let (freed, full) = (Moment(), Moment())
    func leave() async throws {
      let sequence = Counting(count: .max, farewell: Farewell { freed.arrive() })
      // The sixteenth value: if the loop is slow, the reader pauses after it, until four are left.
      let signal = Signal(sequence).on(value: { if $0 == 15 { full.arrive() } })
      for try await _ in signal.values {
        await expect(full.wait())
        break
      }
    }
    try await leave()
    await expect(freed.wait())
  }

  @Test func aPausedReaderThatIsReplacedEndsThoughTheBufferStaysFull() async {
    let (freed, full) = (Moment(), Moment())
    let (clock, outer) = (VirtualScheduler(), Source<Int>())
    let reads = Tally()
    let recorder = SignalRecorder(
      outer.signal.flatMap(.latest) { number -> Numbers in
        if number == 1 { return .just(-1) }
        return Signal(Counting(count: .max, farewell: Farewell { freed.arrive() })).on(value: { _ in reads.arrive() })
      }
      // Behind the replacement, which would drop a value that has not passed it.
      .on(value: { if $0 == 15 { full.arrive() } })
      .observe(on: clock))
    outer.send(0)
    await expect(full.wait())
    outer.send(1)
    await expect(freed.wait())
    clock.run()
    expectEqual(recorder.values, Array(0..<16) + [-1])
    expectEqual(reads.count, 16)
  }
}
