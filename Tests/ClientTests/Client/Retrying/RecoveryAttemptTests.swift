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

  @Test func theStyleOfARefreshIsNotThatOfTheRequestsThatWaitForIt() {
    stub.on(.get, "/b", .status(401))
    stub.on(.post, "/token", .status(400))
    let silent = Request(.post, "/token", options: .with { $0.presentation = .silent })
    let error = recorder(client(silent), "/b").failure
    expectEqual(error?.code, .status(400))
    expectNil(error?.presentation)
  }
}
