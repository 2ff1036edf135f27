import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// The limit of refreshes during an outage of the server that refreshes: nobody is signed out.
struct RecoveryLimitTests {
  private let clock = VirtualScheduler()
  private let stub: StubTransport
  private let rejections = Log<NetworkError.Code>()
  private let failures = Log<NetworkError.Code>()

  init() {
    stub = StubTransport(scheduler: clock)
    stub.on(.get, "/a", .status(401))
    stub.on(.get, "/events", .status(401))
  }

  private func client(_ configure: (inout NetworkClient.Configuration) -> Void = { _ in }) -> NetworkClient {
    NetworkClient(baseURL: URL(string: "https://shop.example")) { [rejections, failures] in
      $0.transport = stub
      $0.scheduler = clock
      $0.processing = .immediate
      $0.onUnauthorized = { rejections.add($0.code) }
      $0.recoveries = [
        Recovery(scheduler: clock) { client in
          client.enqueue(request: Request(.post, "/token"), resultType: NoContent.self)
        } onFailure: {
          failures.add($0.code)
        }
      ]
      configure(&$0)
    }
  }

  private func codes(_ count: Int, _ client: NetworkClient) -> [NetworkError.Code?] {
    (0..<count).map { _ in SignalRecorder(client.enqueue(request: "/a", resultType: Int.self)).failure?.code }
  }

  private var refreshCount: Int { stub.requests.count { $0.url.path == "/token" } }

  @Test func afterFailedRefreshesItIsTheErrorOfTheLastOne() {
    stub.on(.post, "/token", .status(500), .status(400), .status(503))
    let client = client()
    expectEqual(codes(5, client), [.status(500), .status(400)] + Array(repeating: .status(503), count: 3))
    expectEqual(refreshCount, 3)
    expectEqual(failures.entries, [.status(500), .status(400), .status(503)])
    clock.advance(by: .seconds(60))
    expectEqual(codes(1, client), [.status(503)])
    expectEqual(refreshCount, 4)
    expectEqual(rejections.entries, [])
  }

  @Test func aRefreshThatSucceededLastIsRefused() {
    stub.on(.post, "/token", .status(503), .status(503), .status(204))
    expectEqual(codes(4, client()), [.status(503), .status(503), .status(401), .recoveryRefused])
    expectEqual(rejections.entries, [.status(401), .recoveryRefused])
  }

  @Test func anOpenCircuitBreakerDoesNotCount() {
    stub.on(.post, "/token", .status(503), .status(204))
    let breaker = CircuitBreaker(stub, failureLimit: 1, cooldown: .seconds(30), scheduler: clock)
    let client = client { $0.transport = breaker }
    // The circuit is that of the origin, so the requests are not sent either; those sent before it opened are.
    expectEqual(codes(1, client), [.status(503)])
    let tokens = NetworkClient(baseURL: URL(string: "https://shop.example")) {
      $0.transport = breaker
      $0.processing = .immediate
    }
    let failures = Log<NetworkError.Code>()
    let recovery = Recovery(limit: 1, scheduler: clock) {
      tokens.enqueue(request: Request(.post, "/token"), resultType: NoContent.self)
    } onFailure: {
      failures.add($0.code)
    }
    for _ in 1...4 {
      let recorder = SignalRecorder(recovery.recovering(Script(.failure(.status(401)), .value(1)).signal))
      expectEqual(recorder.failure?.code, .circuitOpen)
    }
    expectEqual(failures.entries, [])
    clock.advance(by: .seconds(30))
    let recorder = SignalRecorder(recovery.recovering(Script(.failure(.status(401)), .value(1)).signal))
    expectEqual(recorder.values, [1])
  }

  /// A tunnel that a proxy refuses has no response; only what the closure itself throws does not count.
  @Test(arguments: [NetworkError(.status(407)), NetworkError(.connectionLost)])
  func aFailureOnTheWayToTheServerCounts(_ error: NetworkError) {
    stub.on(.post, "/token", .failure(error))
    expectEqual(codes(5, client()), Array(repeating: error.code, count: 5))
    expectEqual(refreshCount, 3)
  }

  @Test func anEventStreamReconnectsDuringAnOutage() {
    stub.on(.post, "/token", .status(503))
    let recorder = SignalRecorder(client().events(request: "/events"))
    clock.advance(by: .seconds(59))
    expect(!recorder.hasEnded)
    expectEqual(refreshCount, 3)
    expectEqual(rejections.entries, [])
  }
}
