import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
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
}
