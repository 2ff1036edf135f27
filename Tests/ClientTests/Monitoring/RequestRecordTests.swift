import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import Synchronization
import TestSupport
import Testing

/// How a request that is disposed of ends for its monitors.
struct RequestRecordTests {
  private let clock = VirtualScheduler()
  private let log = MonitorLog()

  private func kit() -> TestKit {
    TestKit {
      $0.scheduler = clock
      $0.processing = .immediate
      $0.retry = Retry(limit: 2, backoff: .constant(.seconds(5)))
      $0.monitors = [log]
    }
  }

  /// The stored response was delivered, and the network's has not come: the user has left before the request was done.
  @Test func aDisposalBeforeTheNextAttemptIsACancellation() async throws {
    let kit = kit()
    kit.stub.on(.get, "/a", .json("1"), .status(503), .json("2"))
    let request = Request(.get, "/a", cache: .cacheThenNetwork)
    let first = SignalRecorder(kit.client.enqueue(request: request, resultType: Int.self))
    await first.waitForEnd()
    let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: Int.self))
    await expect(recorder.wait { _ in log.attempts.contains { $0.error != nil } })
    expectEqual(recorder.values.map(\.value), [1])
    recorder.dispose()
    let report = try require(log.requests.last)
    if case .cancelled = report.outcome {} else { Issue.record("\(report)") }
  }

  @Test func aDisposalAfterTheOnlyValueIsASuccess() async throws {
    let kit = kit()
    kit.stub.on(.get, "/a", .json("1"))
    let recorder = SignalRecorder(kit.client.enqueue(request: "/a", resultType: Int.self).take(1))
    await recorder.waitForEnd()
    let report = try require(log.requests.last)
    if case .success = report.outcome {} else { Issue.record("\(report)") }
  }

  /// The first piece of a stream has no metrics yet.
  @Test(arguments: [false, true]) func aReportHasTheMetricsOfTheLastExchangeAndTheAttemptsBeforeIt(isStreamed: Bool)
    async
    throws
  {
    let server = try LoopbackServer()
    let answered = Once()
    server.route("GET", "/a") { _ in answered.claim() ? .text("busy", status: 503) : .text("done") }
    let client = NetworkClient(baseURL: server.baseURL) {
      $0.retry = Retry(limit: 1, backoff: .none)
      $0.monitors = [log]
    }
    if isStreamed {
      await SignalRecorder(client.stream(request: "/a")).waitForEnd()
    } else {
      await SignalRecorder(client.enqueue(request: "/a", resultType: Data.self)).waitForEnd()
    }
    let metrics = try require(log.requests.last?.metrics)
    expectEqual(metrics.earlierAttempts.map(\.code), [503])
    expect(metrics.receivedByteCount > 0)
  }

  /// A request that is retried without a limit does not grow.
  @Test func ofManyAttemptsTheFirstAndTheLastAreInTheMetrics() async throws {
    let kit = TestKit {
      $0.retry = Retry(limit: 500, backoff: .none)
      $0.retryBudget = nil
      $0.monitors = [log]
    }
    let count = Atomic<Int>(0)
    kit.stub.on(.get, "/a") { _ in
      let number = count.add(1, ordering: .relaxed).newValue
      return .text("busy", status: number <= 32 ? 503 : number <= 400 ? 502 : 504)
    }
    let recorder = SignalRecorder(kit.client.enqueue(request: "/a", resultType: Data.self))
    await recorder.waitForEnd()
    for metrics in [recorder.failure?.metrics, log.requests.last?.metrics] {
      let codes = try require(metrics?.earlierAttempts.map(\.code))
      expectEqual(codes, Array(repeating: 503, count: 32) + Array(repeating: 504, count: 32))
    }
    expectEqual(recorder.failure?.request?.attempt, 501)
  }

  /// The error is that of an envelope, which knows nothing of the exchange.
  @Test func anErrorInTheBodyHasTheMetricsOfItsResponse() async throws {
    let server = try LoopbackServer()
    let answered = Once()
    server.route("GET", "/a") { _ in
      answered.claim() ? .text("busy", status: 503) : .json(#"{"code":7,"msg":"no","data":null}"#)
    }
    let client = NetworkClient(baseURL: server.baseURL) {
      $0.retry = Retry(limit: 1, backoff: .none)
      $0.stages.envelope = KeyedEnvelope(code: "code", message: "msg", payload: "data")
      $0.monitors = [log]
    }
    let recorder = SignalRecorder(client.enqueue(request: "/a", resultType: Int.self))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .api(7))
    for metrics in [recorder.failure?.metrics, log.requests.last?.metrics] {
      expectEqual(metrics?.earlierAttempts.map(\.code), [503])
      expectEqual(metrics.map { $0.receivedByteCount > 0 }, true)
    }
  }

  @Test func theReportOfAFailedRefreshHasTheResponseOfTheRequest() async throws {
    let server = try LoopbackServer()
    let answered = Once()
    server.route("GET", "/a") { _ in .text("busy", status: answered.claim() ? 503 : 401) }
    server.route("POST", "/token") { _ in .text(String(repeating: "a", count: 999), status: 400) }
    let client = NetworkClient(baseURL: server.baseURL) {
      $0.retry = Retry(limit: 1, backoff: .none)
      $0.recoveries = [Recovery { $0.enqueue(request: Request(.post, "/token"), resultType: Data.self) }]
      $0.monitors = [log]
    }
    let recorder = SignalRecorder(client.enqueue(request: "/a", resultType: Data.self))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .status(400))
    let report = try require(log.requests.first { $0.request?.url.path == "/a" })
    expectEqual(report.error?.code, .status(400))
    expectEqual(report.response?.statusCode, 401)
    expectEqual(report.metrics?.earlierAttempts.map(\.code), [503])
    let attempt = try require(log.attempts.last { $0.request?.url.path == "/a" })
    expectEqual(report.metrics?.receivedByteCount, attempt.metrics?.receivedByteCount)
  }

  /// The report of the request differs from that of its last attempt, with which it shares the rest.
  @Test func aRequestWasSentIfAnyAttemptWas() async {
    struct FailingAgain: Middleware {
      func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
        request.attempt == 1 ? next(request) : .fail(NetworkError(.invalidCredentials))
      }
    }
    let kit = TestKit {
      $0.middleware = [FailingAgain()]
      $0.retry = Retry(limit: 1, backoff: .none)
      $0.monitors = [log]
    }
    kit.stub.on(.get, "/a", .status(503))
    let recorder = SignalRecorder(kit.client.enqueue(request: "/a", resultType: Int.self))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .invalidCredentials)
    expectEqual(log.attempts.map(\.wasSent), [true, false])
    expectEqual(log.requests.map(\.wasSent), [true])
  }

  @Test(arguments: [StubAnswer.never, .status(304)]) func aReportHasTheFailedAttemptsWithoutAValue(_ last: StubAnswer)
    async throws
  {
    let kit = TestKit { $0.monitors = [log] }
    kit.stub.on(.get, "/a", .status(503), last)
    let request = Request(
      .get, "/a", headers: ["If-None-Match": "\"1\""], retry: Retry(limit: 1, backoff: .none))
    let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: Int.self))
    await kit.clock.advance()
    recorder.dispose()
    expectEqual(log.attempts.count, 2)
    let report = try require(log.requests.last)
    expect(report.error == nil && report.attempt == 2)
    expectEqual(report.metrics?.earlierAttempts.map(\.code), [503])
  }
}
