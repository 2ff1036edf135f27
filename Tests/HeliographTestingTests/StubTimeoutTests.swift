import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The total timeout of a request to a stub, with a client and without one.
struct StubTimeoutTests {
  private let clock = VirtualScheduler()
  private let stub: StubTransport

  init() {
    stub = StubTransport(scheduler: clock)
    stub.on("*", "/never", .never)
    stub.on(.get, "/body", StubAnswer([.head(status: 200), .delay(.seconds(1)), .body(Data("a".utf8)), .never]))
    stub.on(.get, "/late", .text("late").delayed(by: .seconds(10)))
  }

  private func request(_ path: String, _ body: HTTPBody = .empty, total: Duration = .seconds(10)) throws -> HTTPRequest
  {
    let url = try require(URL(string: "https://a.example" + path))
    return HTTPRequest(method: body == .empty ? .get : .put, url: url, body: body, totalTimeout: total)
  }

  @Test("P10") @MainActor func itOpensACircuitInVirtualTime() async {
    let kit = TestKit { $0.transport = CircuitBreaker($0.transport, failureLimit: 1, scheduler: $0.scheduler) }
    kit.stub.on(.get, "/name", .never)
    var failures: [NetworkError?] = []
    for _ in 0..<2 {
      let request = Request(.get, "/name", totalTimeout: .seconds(1))
      let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: String.self))
      await kit.clock.advance(by: .seconds(1))
      failures.append(recorder.failure)
    }
    expectEqual(failures.map { $0?.code }, [.timedOut, .circuitOpen])
    expectEqual(
      failures.first??.reason, "total timeout of 1.0 seconds exceeded while waiting for the head of the response")
    expectEqual(failures.first??.attribution.party, .server)
    expectEqual(failures.first??.attribution.evidence?.phase, .awaitingResponse)
    expectEqual(kit.stub.activeCount, 0)
    expectEqual(kit.stub.cancelledCount, 0)
    expectEqual(kit.clock.pendingCount, 0)
  }

  /// The time was spent in the client's queue, and the server answers.
  @Test("P10") @MainActor func timeInAQueueOpensNoCircuit() async {
    let kit = TestKit {
      $0.concurrencyLimit = 6
      $0.transport = CircuitBreaker($0.transport, scheduler: $0.scheduler)
    }
    kit.stub.on(.get, "/name", .json(#""a""#).delayed(by: .milliseconds(600)))
    func send() -> SignalRecorder<Response<String>, NetworkError> {
      let request = Request(.get, "/name", totalTimeout: .seconds(5))
      return SignalRecorder(kit.client.enqueue(request: request, resultType: String.self))
    }
    let recorders = (0..<60).map { _ in send() }
    await kit.clock.advance(by: .seconds(6))
    expect(recorders.contains { $0.failure?.code == .timedOut } && recorders.contains { $0.isCompleted })
    let next = send()
    await kit.clock.advance(by: .seconds(1))
    expect(next.isCompleted, "\(next.events)")
  }

  /// The client ends the exchange, because such a transport does not know the deadline.
  @Test("P10") @MainActor func itOpensACircuitOverATransportOfTheApp() async {
    struct Silent: Transport {
      func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
        Signal { observer in Disposable { withExtendedLifetime(observer) {} } }
      }
    }
    let kit = TestKit { $0.transport = CircuitBreaker(Silent(), failureLimit: 2, scheduler: $0.scheduler) }
    var codes: [NetworkError.Code?] = []
    for _ in 0..<3 {
      let request = Request(.get, "/name", totalTimeout: .seconds(1))
      let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: String.self))
      await kit.clock.advance(by: .seconds(2))
      codes.append(recorder.failure?.code)
    }
    expectEqual(codes, [.timedOut, .timedOut, .circuitOpen])
    let disposed = SignalRecorder(kit.client.enqueue(request: "/name", resultType: String.self))
    disposed.dispose()
  }

  @Test(arguments: [("/never", "waiting for the head of the response"), ("/body", "receiving the response")])
  func itAppliesWithoutAClient(_ path: String, _ activity: String) throws {
    let signal = stub.send(try request(path))
    for round in 1...2 {
      let recorder = SignalRecorder(signal)
      clock.advance(by: .milliseconds(9999))
      expect(!recorder.hasEnded)
      clock.advance(by: .milliseconds(1))
      expectEqual(recorder.failure?.code, .timedOut)
      expectEqual(recorder.failure?.reason, "total timeout of 10.0 seconds exceeded while \(activity)")
      expectEqual(recorder.failure?.request?.url.path, path)
      let count = recorder.events.count
      clock.advance(by: .seconds(100))
      expectEqual(recorder.events.count, count, "nothing follows")
      expectEqual(stub.requests.count, round)
      expectEqual(stub.activeCount, 0)
      expectEqual(clock.pendingCount, 0)
    }
  }

  @Test func itEndsTheReadingOfAStream() throws {
    let isClosed = CurrentValue(false)
    let pieces = Signal<Data, any Error>.just(Data("a".utf8)).concat(.never).on(dispose: { isClosed.value = true })
    let recorder = SignalRecorder(stub.send(try request("/never", .stream(BodyStream { { pieces } }))))
    expect(!recorder.hasEnded)
    clock.advance(by: .seconds(10))
    expectEqual(recorder.failure?.reason, "total timeout of 10.0 seconds exceeded while sending the request")
    expect(isClosed.value)
    expectEqual(recorder.events.count, 1)
    expectEqual(clock.pendingCount, 0)
  }

  /// An exchange that ends at the same instant has lost, as the timer of the timeout is older.
  @Test(arguments: [(Duration.seconds(10), false), (.seconds(11), true)])
  func anAnswerInTimeIsDelivered(_ total: Duration, _ isInTime: Bool) throws {
    let recorder = SignalRecorder(stub.send(try request("/late", total: total)))
    clock.advance(by: .seconds(10))
    expectEqual(recorder.isCompleted, isInTime)
    expectEqual(recorder.failure?.code, isInTime ? nil : .timedOut)
    expectEqual(clock.pendingCount, 0)
  }

  @Test func aDisposedExchangeLeavesNoTimer() throws {
    let recorder = SignalRecorder(stub.send(try request("/never")))
    expectEqual(clock.pendingCount, 2, "the total and the idle timeout")
    recorder.dispose()
    expectEqual(clock.pendingCount, 0)
    expectEqual(stub.cancelledCount, 1)
    expect(recorder.events.isEmpty)
  }

  @Test func theIdleTimeoutPassesFirst() throws {
    var request = try request("/never")
    request.idleTimeout = .seconds(1)
    let recorder = SignalRecorder(stub.send(request))
    clock.advance(by: .seconds(1))
    expectEqual(recorder.failure?.reason, "idle timeout: no bytes sent or received for 1.0 seconds")
    expectEqual(clock.pendingCount, 0)
  }
}
