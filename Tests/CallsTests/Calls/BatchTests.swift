import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// Several signals or calls with one end.
struct BatchTests {
  private let kit = TestKit()

  private func leave(_ days: Int, after delay: Duration = .zero) -> Signal<Response<Leave>, NetworkError> {
    let answer = StubAnswer.json(#"{"days":\#(days)}"#)
    kit.stub.on(.get, "/\(days)", delay == .zero ? answer : answer.delayed(by: delay))
    return kit.client.enqueue(request: "/\(days)", resultType: Leave.self)
  }

  @Test("S1-22 T16") func anEmptyBatchSucceeds() async {
    let batch = Batch<Int>([])
    let log = MomentLog()
    (batch.delegate, batch.accessories) = (log, [log])
    await batch.run(log)
    expect(batch.values.isEmpty)
    expectNil(batch.error)
    expectEqual(log.texts, ["willStart", "willStop", "delegate success", "success", "didStop"])
  }

  @Test("S1-22 T16 S0-40") func valuesAreInTheOrderOfTheSignals() async {
    let batch = Batch((1...5).map { leave($0, after: .seconds(6 - $0)) })
    let log = MomentLog()
    (batch.delegate, batch.accessories) = (log, [log])
    batch.start(onSuccess: { _ in log.add("success") })
    expect(!batch.start())
    expectEqual(kit.stub.requests.count, 5)
    await kit.clock.advance(by: .seconds(5))
    expectEqual(batch.values.map(\.value.days), [1, 2, 3, 4, 5])
    expectEqual(log.texts, ["willStart", "willStop", "delegate success", "success", "didStop"])
    expect(!batch.isExecuting)
    expectNil(batch.failedIndex)
  }

  @Test("S1-23") func theFirstFailureCancelsTheOthers() async {
    kit.stub.on(.get, "/bad", .status(503).delayed(by: .seconds(2)))
    let bad = kit.client.enqueue(request: "/bad", resultType: Leave.self)
    let batch = Batch([leave(1, after: .seconds(1)), bad, leave(3, after: .seconds(9))])
    let log = MomentLog()
    (batch.delegate, batch.accessories) = (log, [log])
    batch.start(onSuccess: { _ in log.add("success") }, onFailure: { _ in log.add("failure") })
    await kit.clock.advance(by: .seconds(10))
    expectEqual(batch.failedIndex, 1)
    expectEqual(batch.error?.code, .status(503))
    expectEqual(batch.values.map(\.value.days), [1])
    expectEqual(kit.stub.cancelledCount, 1)
    expectEqual(log.texts, ["willStart", "willStop", "delegate failure", "failure", "didStop"])
  }

  @Test("S1-23") func allResultsAreCollected() async {
    kit.stub.on(.get, "/bad", .status(503))
    let bad = kit.client.enqueue(request: "/bad", resultType: Leave.self)
    let batch = Batch([leave(1), bad, leave(3)], mode: .collect)
    await batch.run(MomentLog())
    expectNil(batch.error)
    expectNil(batch.failedIndex)
    let codes = batch.results.map { result -> Int? in
      switch result {
      case .success(let response)?: response.value.days
      case .failure(let error)?: error.code.number
      case nil: nil
      }
    }
    expectEqual(codes, [1, 503, 3])
  }

  @Test func noMoreThanTheLimitRunAtOnce() async {
    let batch = Batch((1...6).map { leave($0, after: .seconds(1)) }, concurrencyLimit: 2)
    batch.start()
    for second in 1...3 {
      expectEqual(kit.stub.activeCount, 2)
      expectEqual(kit.stub.requests.count, 2 * second)
      await kit.clock.advance(by: .seconds(1))
    }
    expectEqual(batch.values.count, 6)
    expectEqual(kit.stub.activeCount, 0)
  }

  @Test func aSignalWithoutAValueFailsTheBatch() async {
    let batch = Batch([leave(1), .empty])
    await batch.run(MomentLog())
    expectEqual(batch.error?.code, .noValue)
    expectEqual(batch.failedIndex, 1)
  }

  /// Bound to an owner that is not the one of the batch.
  @Test(arguments: [Batch<Int>.Mode.failFast, .collect]) func aSignalThatEndsSilentlyHasNoValue(
    _ mode: Batch<Int>.Mode
  ) async throws {
    var lifetime: Lifetime? = Lifetime()
    let bound = Signal<Int, NetworkError>.never.bound(to: try require(lifetime))
    let batch = Batch([.just(1), bound], mode: mode)
    batch.start()
    lifetime = nil
    await kit.clock.advance()
    expect(!batch.isExecuting)
    expectEqual(batch.values, [1])
    expect(batch.results.allSatisfy { $0 != nil })
    expectEqual(batch.error?.code, (mode == .failFast ? .noValue : nil))
  }

  @Test("S1-22") func callsOfSeveralTypesAreABatch() async {
    kit.stub.on(.post, "/leaves", .json(#"{"days":3}"#))
    kit.stub.on(.get, "/name", .text("Ada"))
    let leave = LeaveCall(days: 3, client: kit.client)
    let name = kit.client.call("/name", as: String.self)
    let batch = Batch([leave, name])
    await batch.run(MomentLog())
    expectEqual(leave.value?.days, 3)
    expectEqual(name.value, "Ada")
    expectEqual(batch.values.map { $0 === leave }, [true, false])
    expectEqual(leave.log.texts, ["willSucceed 3", "didSucceed"])
    // Again: the calls are reused.
    kit.stub.on(.get, "/name", .status(500))
    await batch.run(MomentLog())
    expectEqual(batch.failedIndex, 1)
    expectEqual(batch.error?.code, .status(500))
  }

  @Test("S1-26") func cancellingABatchCancelsItsCalls() async {
    kit.stub.on(.get, "/stuck", .never)
    let calls = (0..<3).map { _ in kit.client.call("/stuck", as: Leave.self) }
    let batch = Batch(calls)
    let log = MomentLog()
    batch.accessories = [log]
    batch.start(onSuccess: { _ in log.add("success") }, onFailure: { _ in log.add("failure") })
    expectEqual(kit.client.callIDs.count, 3)
    batch.cancel()
    await kit.clock.advance()
    expect(calls.allSatisfy { $0.isCancelled })
    expectEqual(kit.client.callIDs.count, 0)
    expectEqual(kit.stub.cancelledCount, 3)
    expectEqual(log.texts, ["willStart", "willStop", "didStop"])
  }

  /// Its first signal ends while the batch starts.
  @Test func aBatchThatIsCancelledWhileItStartsStartsNoFurtherSignal() {
    let batches = Guarded<[Batch<Int>]>([])
    let startedCount = Guarded(0)
    let first = Signal<Int, NetworkError>.just(1).on(value: { _ in batches.withLock { $0 }.first?.cancel() })
    let second = Signal<Int, NetworkError>.deferred {
      startedCount.withLock { $0 += 1 }
      return .just(2)
    }
    for limit in [1, 2] {
      let batch = Batch([first, second, second], concurrencyLimit: limit)
      batches.withLock { $0 = [batch] }
      expect(batch.start())
      expect(batch.isCancelled)
      expect(!batch.isExecuting)
    }
    batches.withLock { $0 = [] }
    expectEqual(startedCount.withLock { $0 }, 0)
  }

  @Test("S1-23") func aCallThatIsCancelledElsewhereEndsTheBatch() async {
    kit.stub.on(.get, "/stuck", .never)
    let calls = (0..<2).map { _ in kit.client.call("/stuck", as: Leave.self) }
    let batch = Batch(calls)
    batch.start(onFailure: { _ in Issue.record("a cancellation is not a failure") })
    calls[1].cancel()
    await kit.clock.advance()
    expect(batch.isCancelled)
    expect(!batch.isExecuting)
    expect(calls[0].isCancelled)
  }

  @Test func aBatchThatCollectsSucceedsAlsoIfACallIsCancelledElsewhere() async {
    kit.stub.on(.get, "/stuck", .never)
    kit.stub.on(.get, "/leave", .json(#"{"days":3}"#))
    let calls = ["/leave", "/stuck"].map { kit.client.call(Request(.get, RequestPath($0)), as: Leave.self) }
    let batch = Batch(calls, mode: .collect)
    let log = MomentLog()
    batch.start(onSuccess: { _ in log.add("success") })
    calls[1].cancel()
    await kit.clock.advance()
    expectEqual(log.texts, ["success"])
    expect(!batch.isCancelled)
    expectEqual(batch.values.map(\.value?.days), [3])
    guard case .failure(let error) = batch.results[1] else { return expect(false) }
    expectEqual(error.code, .cancelled)
  }

  @Test("T16") func aBatchIsReleasedAfterItsEnd() async {
    weak var released: Batch<Response<Leave>>?
    let log = MomentLog()
    do {
      let batch = Batch([leave(1, after: .seconds(1))])
      released = batch
      batch.start(onSuccess: { _ in log.add("success") })
    }
    expect(released != nil)
    await kit.clock.advance(by: .seconds(1))
    expectEqual(log.texts, ["success"])
    expectNil(released)
  }
}
