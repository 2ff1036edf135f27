import Foundation
import Heliograph
import HeliographTesting
import Synchronization
import TestSupport
import Testing

/// The samples of Docs/Errors.md about trying again and leaving alone.
struct AgainSamples {
  private let server: LoopbackServer
  private let shopURL: URL

  init() throws {
    server = try LoopbackServer()
    shopURL = server.baseURL
  }

  @Test func whatMayPassIsTriedAgain() async throws {
    let count = Atomic<Int>(0)
    server.route("*", "*") { _ in
      let isEarly = count.add(1, ordering: .relaxed).newValue < 3
      return isEarly ? LoopbackResponse.status(503).header("Retry-After", "0") : .json("[1]")
    }
    // sample: retry
    var configuration = NetworkClient.Configuration(baseURL: shopURL)
    configuration.retry = Retry(limit: 3, backoff: .exponential(initialDelay: .milliseconds(20), jitter: 1))
    let client = NetworkClient(configuration)
    let lamps = try await client.enqueue(request: "/lamps", resultType: [Int].self).value()
    print(lamps.metrics?.earlierAttempts.map(\.code) ?? [])  // [503, 503]

    var order = Request(.post, "/orders", parameters: ["item": 7])
    order.options.idempotencyKey = .automatic  // the server knows an order that comes twice
    order.options.retry = Retry(limit: 1)
    // end sample
    expectEqual(lamps.value, [1])
    expectEqual(lamps.metrics?.earlierAttempts.map(\.code), [503, 503])
    expectEqual(server.log.requests.count, 3)
    // sample: retry-closure
    configuration.retry = Retry(limit: 5) { error, attempt in
      if error.statusCode == 409, attempt == 1 { return .retry(after: .milliseconds(50)) }  // whatever its method
      return error.meaning == .needsLogin ? .doNotRetry : .default  // what the rules above say
    }
    // end sample
    expectEqual(configuration.retry.decide?(NetworkError(.timedOut), 1), .default)
    try await expectEqual(client.enqueue(request: order, resultType: [Int].self).value().value, [1])
  }

  @Test func allThatIsDoneHasOneLimit() async throws {
    server.route("GET", "/lamps") { _ in .never }
    // sample: total-timeout
    var configuration = NetworkClient.Configuration(baseURL: shopURL)
    configuration.totalTimeout = .seconds(30)
    let client = NetworkClient(configuration)
    var lamps = Request(.get, "/lamps")
    lamps.options.totalTimeout = .milliseconds(200)
    do {
      _ = try await client.value(of: lamps, as: [Int].self)
    } catch {
      print(error.code == .timedOut, error.reason)
      // true total timeout of 0.2 seconds exceeded while waiting for the head of the response
    }
    // end sample
    let recorder = SignalRecorder(client.enqueue(request: lamps))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .timedOut)
    expectEqual(recorder.failure?.reason.hasPrefix("total timeout of 0.2 seconds exceeded while "), true)
  }

  @Test func anExpiredTokenIsRenewedOnce() async throws {
    server.route("GET", "/orders") { request in
      request.header("Authorization") == "Bearer new" ? .json("[1]") : .status(401)
    }
    server.route("POST", "/token") { _ in .json(#"{"token":"new"}"#) }
    // sample: recovery
    struct Token: Decodable, Sendable { let token: String }
    let token = CurrentValue<String?>("old")
    var configuration = NetworkClient.Configuration(baseURL: shopURL)
    configuration.middleware = [
      .authorization { .just(token.value.flatMap { try? .bearer(token: $0) }) }
    ]
    configuration.recoveries = [
      Recovery(statuses: [401]) { client in
        client.enqueue(request: Request(.post, "/token"), resultType: Token.self)
          .on(value: { token.value = $0.value.token })
      }
    ]
    let client = NetworkClient(configuration)
    let orders = (1...20).map { _ in client.enqueue(request: "/orders", resultType: [Int].self) }
    let answers = try await Signal<Response<[Int]>, NetworkError>.merge(orders).collect().value()
    print(answers.count)  // 20, after 20 times 401, one refresh and 20 replays
    // end sample
    expectEqual(answers.count, 20)
    expectEqual(server.log.requests.filter { $0.target == "/token" }.count, 1)
  }

  @Test func aFailingServerIsLeftAlone() async throws {
    server.route("GET", "/lamps") { _ in .status(500) }
    // sample: breaker
    var configuration = NetworkClient.Configuration(baseURL: shopURL)
    configuration.transport = CircuitBreaker(configuration.transport, failureLimit: 3)
    let client = NetworkClient(configuration)
    for _ in 1...4 {
      do {
        _ = try await client.value(of: "/lamps", as: JSON.self)
      } catch {
        print(error.code)  // 500, 500, 500, and then 615: nothing was sent
      }
    }
    // end sample
    let recorder = SignalRecorder(client.enqueue(request: "/lamps", resultType: JSON.self))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .circuitOpen)
    expectEqual(server.log.requests.count, 3)
  }

  @Test func withoutANetworkNothingIsSent() async throws {
    // sample: offline
    let network = ManualReachability(.unreachable)
    let stub = StubTransport()
    stub.on(.get, "/lamps", .json("[1,2]"))
    var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://shop.example.com"), transport: stub)
    configuration.reachability = network
    let client = NetworkClient(configuration)
    let lamps = client.enqueue(request: "/lamps", resultType: [Int].self)

    let first = SignalRecorder(lamps)
    await first.waitForEnd()
    print(first.failure?.code == .unreachable, stub.requests.isEmpty)  // true true

    network.set(.reachable)
    // Ask once more as soon as there is a network.
    _ = await network.changes.filter { $0 != .unreachable }.first()
    let second = try await lamps.value()
    print(second.value)  // [1, 2]
    // end sample
    expectEqual(first.failure?.code, .unreachable)
    expectEqual(second.value, [1, 2])
    expectEqual(stub.requests.count, 1)
  }
}
