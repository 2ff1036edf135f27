import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The samples of the article RetriesAndTimeouts.
struct RetrySamples {
  @Test func retries() async throws {
    let apiURL = URL(string: "https://api.example.com")
    let key = UUID().uuidString
    // sample: retries-retry
    let client = NetworkClient(baseURL: apiURL) {
      $0.retry = Retry(limit: 2, backoff: .exponential(initialDelay: .milliseconds(500), jitter: 1))
    }
    let order = Request(
      .post, "/orders", body: .json(["item": 7]), retry: Retry(limit: 1),
      options: .with { $0.idempotencyKey = .value(key) })  // the server recognizes an order that comes twice
    // end sample
    expectEqual(client.configuration.retry.limit, 2)
    expectEqual(order.options.retry?.limit, 1)
    let retrying = TestKit { $0.retry = client.configuration.retry }
    retrying.stub.on(.post, "/orders", .status(503), .json(#"{"id": 1}"#))
    let task = Task { try await retrying.client.value(of: order, as: JSON.self) }
    await retrying.stub.requested(1)
    await retrying.clock.advance(by: .seconds(1))
    try await expectEqual(task.value["id"].double, 1)
    expectEqual(retrying.stub.requests.map { $0.headers["Idempotency-Key"] }, [key, key])
    // sample: retries-closure
    let decided = Retry(limit: 5) { error, attempt in
      if error.statusCode == 409, attempt == 1 { return .retry(after: .milliseconds(50)) }  // whatever its method
      return error.meaning == .needsLogin ? .doNotRetry : .default  // the rules above
    }
    // end sample
    expectEqual(decided.decide?(NetworkError(.timedOut), 1), .default)
  }

  @Test func aBreakerStopsSending() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/lamps") { _ in .status(500) }
    let apiURL = server.baseURL
    // sample: retries-breaker
    var configuration = NetworkClient.Configuration(baseURL: apiURL)
    configuration.transport = CircuitBreaker(configuration.transport, failureLimit: 3)
    // end sample
    let client = NetworkClient(configuration)
    var codes: [NetworkError.Code] = []
    for _ in 1...4 {
      let recorder = SignalRecorder(client.enqueue(request: "/lamps", resultType: JSON.self))
      await recorder.waitForEnd()
      if let code = recorder.failure?.code { codes.append(code) }
    }
    expectEqual(codes, [.status(500), .status(500), .status(500), .circuitOpen])
    expectEqual(server.log.requests.count, 3)
  }

  @Test func withoutANetworkNothingIsSent() async throws {
    let network = ManualReachability(.unreachable)
    let kit = TestKit { $0.reachability = network }
    kit.stub.on(.get, "/lamps", .json("[1]"))
    let client = kit.client
    let first = SignalRecorder(client.enqueue(request: "/lamps", resultType: [Int].self))
    await first.waitForEnd()
    expectEqual(first.failure?.code, .unreachable)
    network.set(.reachable)
    try await expectEqual(client.value(of: "/lamps", as: [Int].self), [1])
    expectEqual(kit.stub.requests.count, 1)
  }

  @MainActor @Test func aBannerSaysThatThereIsNoNetwork() async {
    @MainActor final class Screen { var isOffline = false }
    let (network, screen) = (ManualReachability(.unreachable), Screen())
    // sample: retries-offline
    network.changes.map { $0 == .unreachable }.assign(to: \.isOffline, on: screen)  // `SystemReachability.system`
    // end sample
    await TestClock().advance()
    expect(screen.isOffline)
    network.set(.reachable)
    await TestClock().advance()
    expect(!screen.isOffline)
  }

  @Test func waitingForANetwork() async throws {
    let network = ManualReachability(.unreachable)
    let kit = TestKit { $0.reachability = network }
    kit.stub.on(.get, "/lamps", .json("[1]"))
    let client = kit.client
    let task = Task {
      // sample: retries-waiting
      let request = Request(
        .get, "/lamps", totalTimeout: .seconds(60), options: .with { $0.waitsForConnectivity = true })
      let lamps = try await client.value(of: request, as: [Int].self)
      // end sample
      return lamps
    }
    network.set(.reachable)
    try await expectEqual(task.value, [1])
  }
}
