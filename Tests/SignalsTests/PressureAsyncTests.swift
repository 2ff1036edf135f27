import HeliographTesting
import Signals
import Testing

/// `for try await` as the boundary.
@Suite struct PressureAsyncTests {
  let pausing = PausingSource(1_000)

  @Test func aSlowLoopHoldsTheSourceUp() async throws {
    var received: [Int] = []
    for try await value in pausing.signal.values {
      received.append(value)
      // One more than the limit is in the loop's hands.
      #expect(pausing.sentCount - received.count <= Pressure.highCount)
      if received.count % 10 == 0 { await Task.yield() }
    }
    #expect(received == Array(0..<1_000))
    #expect(pausing.pauseCount > 10)
    #expect(pausing.resumptionCount == pausing.pauseCount)
  }

  @Test func theLoopIsCountedTogetherWithASchedulerBeforeIt() async throws {
    var received: [Int] = []
    for try await value in pausing.signal.map({ $0 }).observe(on: .serial("pressure")).values {
      received.append(value)
      #expect(pausing.sentCount - received.count <= Pressure.highCount)
    }
    #expect(received == Array(0..<1_000))
  }

  @Test func leavingTheLoopCallsWhoWaits() async throws {
    for try await value in pausing.signal.values where value == 2 { break }
    #expect(pausing.sentCount == Pressure.highCount)
    #expect(pausing.resumptionCount == 1)
    #expect(pausing.teardownCount == 1)
  }

  @Test func cancellingTheTaskCallsWhoWaits() async {
    let pausing = pausing
    let iterated = Later<Bool>()
    let task = Task {
      let iterator = pausing.signal.values.makeAsyncIterator()
      _ = try? await iterator.next()
      iterated.value = true
      while !Task.isCancelled { await Task.yield() }
      let last = try? await iterator.next()
      return last == .some(nil) && pausing.resumptionCount == 1
    }
    while iterated.value == nil { await Task.yield() }
    #expect(pausing.sentCount == Pressure.highCount)
    task.cancel()
    #expect(await task.value)
    #expect(pausing.teardownCount == 1)
  }

  @Test func aSourceMayKeepThePressureWithoutKeepingTheLoop() async throws {
    let kept = Later<Pressure>()
    let source = Source<Int>()
    let signal = source.signal.merge(
      Signal { observer in
        kept.value = observer.pressure
        observer.send(1)
        return nil
      })
    for try await value in signal.values where value == 1 { break }
    #expect(source.isIdle)
    #expect(kept.value?.isHigh == false)
  }
}
