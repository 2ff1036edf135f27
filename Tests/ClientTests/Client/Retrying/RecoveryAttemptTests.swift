import Foundation
import Heliograph
import HeliographTesting
import Signals
import TestSupport
import Testing

/// Refreshes and the attempts of a request that is repeated for another reason.
struct RecoveryAttemptTests {
  private let clock = VirtualScheduler()
  private let stub: StubTransport

  init() { stub = StubTransport(scheduler: clock) }

  private func client(_ token: Request) -> NetworkClient {
    var configuration = NetworkClient.Configuration(
      baseURL: URL(string: "https://a.example"), services: [], transport: stub)
    configuration.scheduler = clock
    configuration.processing = .immediate
    configuration.retry = Retry(limit: 1, backoff: .constant(.seconds(1)))
    configuration.recoveries = [
      Recovery(scheduler: clock) { client in client.enqueue(request: token, resultType: String.self).map { _ in } }
    ]
    return NetworkClient(configuration)
  }

  private func recorder(_ client: NetworkClient, _ request: Request) -> SignalRecorder<Response<Int>, NetworkError> {
    SignalRecorder(client.enqueue(request: request, resultType: Int.self))
  }

  /// The refresh had ended before the second attempt was built.
  @Test func anAttemptAfterAFailedRefreshIsRefreshedAnew() {
    stub.on(.get, "/a", .status(503, headers: ["Retry-After": "30"]), .status(401), .json("1"))
    stub.on(.get, "/b", .status(401))
    stub.on(.post, "/token", .status(503), .json(#""new""#))
    let client = client(Request(.post, "/token"))
    let (slow, quick) = (recorder(client, "/a"), recorder(client, "/b"))
    expectEqual(quick.failure?.code, .status(503))
    clock.advance(by: .seconds(60))
    expectEqual(slow.values.map(\.value), [1])
    expectEqual(stub.requests.filter { $0.url.path == "/token" }.count, 2)
  }

  @Test func aTotalTimeoutDuringTheRefreshKeepsTheRejection() async {
    stub.on(.get, "/a", .status(401))
    stub.on(.post, "/token", .never)
    let call = client(Request(.post, "/token")).call(Request(.get, "/a", totalTimeout: .seconds(5)), as: Int.self)
    let recorder = SignalRecorder(call.signal)
    clock.advance(by: .seconds(5))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .timedOut)
    expectEqual(recorder.failure?.metrics?.earlierAttempts.map(\.code), [401])
    expectEqual(recorder.failure?.metrics?.endedAt, .seconds(5))
    expectEqual(call.rawResponse?.statusCode, 401)
  }

  /// A gateway may send the body of a 401 in a coding that it is not in, and a network may change meanwhile.
  @Test(arguments: [
    NetworkError(.connectionLost), NetworkError(.undecodableBody), NetworkError(.responseTooLarge),
  ]) func aRejectionWithABrokenBodyIsRefreshed(_ error: NetworkError) {
    let rejection = StubAnswer([.head(status: 401), .body(Data("{".utf8)), .failure(error)])
    stub.on(.get, "/a", rejection, .json("1"))
    stub.on(.post, "/token", .json(#""new""#))
    var configuration = client(Request(.post, "/token")).configuration
    configuration.retry = .never
    let rejections = Guarded(0)
    configuration.onUnauthorized = { _ in rejections.withLock { $0 += 1 } }
    let recorder = recorder(NetworkClient(configuration), "/a")
    clock.advance(by: .seconds(60))
    expectEqual(recorder.values.map(\.value), [1])
    expectEqual(rejections.withLock { $0 }, 0)
  }

  /// The server has rejected it, however its answer ends.
  @Test func aRejectedOrderWithABrokenBodyIsSentAgain() {
    let rejection = StubAnswer([.head(status: 401), .body(Data("{".utf8)), .failure(NetworkError(.undecodableBody))])
    stub.on(.post, "/orders", rejection, .json("1"))
    expectNil(failure())
    expectEqual(stub.requests.map(\.url.path), ["/orders", "/token", "/orders"])
  }

  /// Otherwise a busy server's `Retry-After` would be ignored.
  @Test func aStatusWithABrokenBodyIsRetried() {
    let busy = StubAnswer([
      .head(status: 503, headers: ["Retry-After": "30"]), .body(Data("{".utf8)),
      .failure(NetworkError(.undecodableBody)),
    ])
    stub.on(.get, "/a", busy, .json("1"))
    let recorder = recorder(client("/token"), "/a")
    clock.advance(by: .seconds(29))
    expectEqual(stub.requests.count, 1)
    clock.advance(by: .seconds(1))
    expectEqual(recorder.values.map(\.value), [1])
  }

  @Test func theStyleOfARefreshIsNotThatOfTheRequestsThatWaitForIt() {
    stub.on(.get, "/b", .status(401))
    stub.on(.post, "/token", .status(400))
    let silent = Request(.post, "/token", options: .with { $0.presentation = .silent })
    let error = recorder(client(silent), "/b").failure
    expectEqual(error?.code, .status(400))
    expectNil(error?.presentation)
  }

  /// Returns the failure of an order with a recovery for a lost connection and for 401.
  private func failure(of order: Request = Request(.post, "/orders")) -> NetworkError? {
    stub.on(.post, "/token", .json(#""new""#))
    var configuration = client(Request(.post, "/token")).configuration
    configuration.recoveries = [
      Recovery(codes: [.connectionLost, .cannotConnect], scheduler: clock) { client in
        client.enqueue(request: Request(.post, "/token"), resultType: String.self)
      }
    ]
    let recorder = recorder(NetworkClient(configuration), order)
    clock.advance(by: .seconds(60))
    return recorder.failure
  }

  private static let refusal = "not retried: the request is not idempotent; set an idempotency key or isIdempotent"

  @Test("P13") func anOrderThatMayHaveArrivedIsNotReplayed() {
    stub.on(.post, "/orders", .failure(NetworkError(.connectionLost)))
    expectEqual(failure()?.reason, Self.refusal)
    expectEqual(stub.requests.map(\.url.path), ["/orders", "/token"])
  }

  @Test("P13") func anOrderIsNotReplayedBecauseItsPageWasCut() {
    stub.on(.post, "/orders", .status(303, headers: ["Location": "/orders/1"]))
    stub.on(.get, "/orders/1", .failure(NetworkError(.connectionLost, metrics: Metrics())))
    expectEqual(failure()?.reason, Self.refusal)
    expectEqual(stub.requests.map(\.url.path), ["/orders", "/orders/1", "/token"])
  }

  @Test func anOrderThatHasNotArrivedIsReplayed() {
    stub.on(.post, "/orders", .failure(NetworkError(.cannotConnect, metrics: Metrics())), .json("1"))
    expectNil(failure())
    expectEqual(stub.requests.map(\.url.path), ["/orders", "/token", "/orders"])
  }

  /// The status says that the first order was received.
  @Test("P13", arguments: [(303, 1), (302, 2)]) func anOrderThatFollowsAnotherReplaysBothOnlyIfNeitherHasArrived(
    _ status: Int, _ count: Int
  ) {
    stub.on(.post, "/orders", .status(status, headers: ["Location": "/payments"]))
    stub.on(.post, "/payments", .status(401))
    let order = Request(
      .post, "/orders",
      options: .with {
        $0.redirects = .decide { _, proposed in
          var next = proposed
          next.method = .post
          return .follow(next)
        }
      })
    expectEqual(failure(of: order)?.code, .status(401))
    expectEqual(stub.requests(to: "/orders").count, count)
  }
}
