import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// The reason of a failure names why the request was not retried, without a monitor.
struct RetryRefusalTests {
  private static let budget = RetryBudget(share: 0, reserveCount: 0)

  /// Returns the error of a request with these rules.
  private func failure(
    _ retry: Retry, _ answer: StubAnswer = .status(503), _ request: Request = Request(.get, "/a"),
    _ configure: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) -> NetworkError? {
    let clock = VirtualScheduler()
    let stub = StubTransport(scheduler: clock)
    stub.on("*", "/a", answer)
    let client = NetworkClient(baseURL: URL(string: "https://shop.example")) {
      $0.transport = stub
      ($0.scheduler, $0.processing) = (clock, .immediate)
      ($0.retry, $0.retryBudget) = (retry, nil)
      configure(&$0)
    }
    let recorder = SignalRecorder(client.enqueue(request: request, resultType: Int.self))
    clock.advance(by: .seconds(60))
    return recorder.failure
  }

  @Test func aSpentBudgetIsNamed() {
    let error = failure(Retry(limit: 2)) { $0.retryBudget = Self.budget }
    expectEqual(error?.reason, "HTTP status 503; not retried: the retry budget is spent")
    expectEqual(error?.failureReason, error?.reason)
    expectEqual(error?.message(in: .english), NetworkError(.status(503)).message(in: .english))
    expect(error?.description.hasPrefix("server error 503: HTTP status 503; not retried: ") == true, "\(error as Any)")
  }

  @Test func aServersDelayAndTheTotalTimeoutAreNamed() {
    let retry = Retry(limit: 2, backoff: .constant(.seconds(9)), maximumRetryAfter: .seconds(10))
    expectEqual(
      failure(retry, .status(503, headers: ["Retry-After": "20"]))?.reason,
      "HTTP status 503; not retried: Retry-After asks for 20000.0 ms, more than 10000.0 ms")
    expectEqual(
      failure(retry) { $0.totalTimeout = .seconds(5) }?.reason,
      "HTTP status 503; not retried: the total timeout elapses within the delay of 9000.0 ms")
  }

  @Test func aRequestThatMustNotBeRepeatedIsNamedOnlyForAFailureOfTheRules() {
    let refusal = "; not retried: the request is not idempotent; set an idempotency key or isIdempotent"
    let post = Request(.post, "/a")
    expectEqual(failure(Retry(), .status(503), post)?.reason, "HTTP status 503" + refusal)
    expectEqual(failure(Retry(), .status(409), post)?.reason, "HTTP status 409")
    let body = BodyStream(byteCount: nil, isSpent: { true }, open: { _ in BodyStream.pieces(of: []) })
    let put = Request(.put, "/a", body: .stream(body, contentType: "a/b"))
    expectEqual(
      failure(Retry(), .status(503), put)?.reason,
      "HTTP status 503; not retried: the body is a stream that cannot be read again")
    expectEqual(failure(Retry(), .status(409), put)?.reason, "HTTP status 409")
  }

  @Test func theExpectedEndsAreNotNamed() {
    expectEqual(failure(.never)?.reason, "HTTP status 503")
    expectEqual(failure(Retry(limit: 1, backoff: .none))?.reason, "HTTP status 503")
    expectEqual(failure(Retry(), .status(404))?.reason, "HTTP status 404")
    expectEqual(failure(Retry { _, _ in .doNotRetry })?.reason, "HTTP status 503")
    expectNil(failure(Retry(limit: 2), .json("1")) { $0.retryBudget = Self.budget })
  }

  @Test func aTransportThatHasSaidSoIsNotRepeated() {
    let error = NetworkError(.connectionLost, reason: "closed; not retried: the request is not idempotent")
    expectEqual(failure(Retry(), .failure(error), Request(.post, "/a"))?.reason, error.reason)
    let silent = failure(Retry(), .failure(NetworkError(.connectionLost)), Request(.post, "/a"))
    expectEqual(silent?.reason, "not retried: the request is not idempotent; set an idempotency key or isIdempotent")
  }
}
