import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// `for try await` as the boundary.
struct PressureAsyncTests {
  let pausing = PausingSource(1_000)

  @Test func aSlowLoopHoldsTheSourceUp() async throws {
    var received: [Int] = []
    for try await value in pausing.signal.values {
      received.append(value)
      // One more than the limit is in the loop's hands.
      expect(pausing.sentCount - received.count <= Pressure.highCount)
      if received.count % 10 == 0 { await Task.yield() }
    }
    expectEqual(received, Array(0..<1_000))
    expect(pausing.pauseCount > 10)
    expectEqual(pausing.resumptionCount, pausing.pauseCount)
  }

  @Test func theLoopIsCountedTogetherWithASchedulerBeforeIt() async throws {
    var received: [Int] = []
    for try await value in pausing.signal.map({ $0 }).observe(on: .serial("pressure")).values {
      received.append(value)
      expect(pausing.sentCount - received.count <= Pressure.highCount)
    }
    expectEqual(received, Array(0..<1_000))
  }

  @Test func leavingTheLoopCallsWhoWaits() async throws {
    for try await value in pausing.signal.values where value == 2 { break }
    expectEqual(pausing.sentCount, Pressure.highCount)
    expectEqual(pausing.resumptionCount, 1)
    expectEqual(pausing.teardownCount, 1)
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
    await until { iterated.value != nil }
    expectEqual(pausing.sentCount, Pressure.highCount)
    task.cancel()
    await expect(task.value)
    expectEqual(pausing.teardownCount, 1)
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
    expect(source.isIdle)
    expectEqual(kept.value?.isHigh, false)
  }
}
