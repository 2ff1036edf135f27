import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// Lanes with a queue: one at a time, or a limited number.
struct LaneQueueTests {
  private let clock = VirtualScheduler()
  private let running = RunningCount()

  private func slow(_ value: Int) -> Signal<Int, NetworkError> {
    running.counting(Signal<Int, NetworkError>.just(value).delay(.seconds(1), on: clock))
  }

  @Test("P3") func aSerialLaneRunsOneAfterAnother() {
    let lane = Lane(.serial)
    let recorders = (0..<5).map { SignalRecorder(lane.enqueue(slow($0))) }
    for count in 1...5 {
      expectEqual(running.started, count)
      expectEqual(running.value, 1)
      clock.advance(by: .seconds(1))
    }
    expectEqual(recorders.map(\.values), (0..<5).map { [$0] })
    expect(recorders.allSatisfy { $0.isCompleted })
    expectEqual(running.peak, 1)
  }

  @Test("P3") func aHigherPriorityStartsFirst() {
    let lane = Lane(.serial)
    let order = Guarded<[String]>([])
    func enqueue(_ name: String, _ priority: RequestPriority) {
      let signal = Signal<Void, Never>.timer(after: .seconds(1), on: clock)
      let noted = signal.on(start: { order.withLock { $0.append(name) } })
      lane.enqueue(noted, priority: priority).subscribe { _ in }
    }
    enqueue("first", .low)
    for round in 1...2 {
      enqueue("low \(round)", .low)
      enqueue("normal \(round)", .normal)
      enqueue("high \(round)", .high)
    }
    clock.run()
    expectEqual(order.withLock { $0 }, ["first", "high 1", "high 2", "normal 1", "normal 2", "low 1", "low 2"])
  }

  @Test func disposalPassesTheSlotOnAndLeavesTheQueue() {
    let lane = Lane(.limit(2))
    let recorders = (0..<5).map { SignalRecorder(lane.enqueue(slow($0))) }
    expectEqual(running.started, 2)
    recorders[2].dispose()
    recorders[0].dispose()
    recorders[0].dispose()
    expectEqual(running.started, 3)
    expectEqual(running.value, 2)
    clock.advance(by: .seconds(1))
    clock.advance(by: .seconds(1))
    expectEqual(recorders.map(\.values), [[], [1], [], [3], [4]])
    expect(recorders[2].events.isEmpty)
  }

  @Test func aFailurePassesTheSlotOnAndALimitBelowOneIsOne() {
    let lane = Lane(.limit(0))
    let first = SignalRecorder(
      lane.enqueue(slow(1).tryMap { _ throws(NetworkError) -> Int in throw NetworkError(.timedOut) }))
    let second = SignalRecorder(lane.enqueue(slow(2)))
    expectEqual(running.value, 1)
    clock.advance(by: .seconds(1))
    expectEqual(first.failure?.code, .timedOut)
    clock.advance(by: .seconds(1))
    expectEqual(second.values, [2])
  }

  /// On a thread of 512 KiB: nested, they would need more than that.
  @Test func tenThousandSynchronousSignalsNeedNoStack() async {
    let lane = Lane(.serial)
    let (running, clock) = (running, clock)
    let first = SignalRecorder(lane.enqueue(slow(0)))
    let order = Guarded<[Int]>([])
    for index in 0..<10_000 {
      lane.enqueue(running.counting(Signal<Int, Never>.just(index))).subscribe(
        onValue: { value in order.withLock { $0.append(value) } })
    }
    expectEqual(running.started, 1)
    await together(1, stackByteCount: 512 * 1024) { _ in clock.advance(by: .seconds(1)) }
    expect(first.isCompleted)
    expectEqual(order.withLock { $0 }, Array(0..<10_000))
    expectEqual(running.value, 0)
    expectEqual(running.peak, 1)
  }

  /// Each is enqueued from the completion of the one before.
  @Test func aChainOfTenThousandNeedsNoStack() async {
    let lane = Lane(.serial)
    let count = Guarded(0)
    @Sendable func next() {
      let isLast = count.withLock { count in
        count += 1
        return count == 10_000
      }
      if isLast { return }
      lane.enqueue(Signal<Int, Never>.just(1)).subscribe { event in if case .completed = event { next() } }
    }
    await together(1, stackByteCount: 512 * 1024) { _ in next() }
    expectEqual(count.withLock { $0 }, 10_000)
  }

  @Test func aSignalMayEnqueueWhileItIsDelivered() {
    let lane = Lane(.serial)
    let log = Guarded<[Int]>([])
    let running = running
    lane.enqueue(running.counting(Signal<Int, Never>.from([1, 2]))).subscribe { event in
      log.withLock { $0.append(event.value ?? -1) }
      guard event.value == 1 else { return }
      lane.enqueue(running.counting(Signal<Int, Never>.just(3))).subscribe(
        onValue: { value in log.withLock { $0.append(value) } })
    }
    // The second one starts after the first has ended.
    expectEqual(log.withLock { $0 }, [1, 2, -1, 3])
    expectEqual(running.peak, 1)
    expectEqual(running.started, 2)
  }

  @Test("P3", arguments: TransportKind.present) func aLimitOfTwoNeverHasMoreRequestsInFlight(
    _ kind: TransportKind
  ) async throws {
    let server = try LoopbackServer()
    // Long enough for two to be in flight on a busy machine.
    server.route("GET", "/*") { _ in .text("a").delayed(by: .milliseconds(150)) }
    let client = NetworkClient(NetworkClient.Configuration(baseURL: server.baseURL, transport: try kind.transport()))
    let lane = Lane(.limit(2), name: "images")
    let recorders = (0..<10).map { index in
      SignalRecorder(lane.enqueue(running.counting(client.exchange(request: Request(.get, "/\(index)")))))
    }
    for recorder in recorders {
      await recorder.waitForEnd()
      expect(recorder.isCompleted)
      expectEqual(recorder.values.count, 1)
    }
    expectEqual(running.peak, 2)
    expectEqual(running.started, 10)
    if kind == .curl { expect(server.log.acceptedCount <= 2) }
    expectEqual(Set(server.log.requests.map(\.path)), Set((0..<10).map { "/\($0)" }))
  }
}
