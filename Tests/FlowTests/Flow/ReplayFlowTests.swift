import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Orders that a server may have received, over real sockets.
struct ReplayFlowTests {
  private let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("POST", "/token") { _ in .json("1") }
  }

  private func failure(
    _ kind: TransportKind, _ order: RequestPath, _ idleTimeout: Duration = .seconds(60)
  ) async throws -> NetworkError? {
    var configuration = NetworkClient.Configuration(
      baseURL: server.url("/"), services: [], transport: try kind.transport())
    configuration.recoveries = [
      Recovery(statuses: [], codes: [.connectionLost, .timedOut, .cannotConnect]) { [server] client in
        client.enqueue(request: Request(.post, "\(raw: server.url("/token").absoluteString)"), resultType: Int.self)
      }
    ]
    let request = Request(
      .post, order, body: .json(["a": 1]), options: .with { $0.idleTimeout = idleTimeout })
    let recorder = SignalRecorder(NetworkClient(configuration).enqueue(request: request, resultType: Int.self))
    await recorder.waitForEnd()
    return recorder.failure
  }

  @Test(arguments: TransportKind.present, [LoopbackResponse.Step.reset, .hold])
  func anOrderThatTheServerHasReceivedIsNotReplayed(_ kind: TransportKind, _ end: LoopbackResponse.Step) async throws {
    server.route("POST", "/orders") { _ in .script([end]) }
    let isSilent = if case .hold = end { true } else { false }
    let error = try await failure(kind, "/orders", isSilent ? .milliseconds(500) : .seconds(60))
    expect(error?.reason.contains("not retried: the request is not idempotent") == true, "\(String(describing: error))")
    expectEqual(server.log.requests(to: "/orders").count, 1)
    expectEqual(server.log.requests(to: "/token").count, 1)
  }

  @Test(arguments: TransportKind.present) func anOrderThatFindsNoServerIsReplayed(_ kind: TransportKind) async throws {
    let error = try await failure(kind, "http://127.0.0.1:\(LoopbackSocket.closedPort())/orders")
    expectEqual(error?.code, .cannotConnect)
    expect(error?.reason.contains("not retried") == false, "\(String(describing: error))")
    expectEqual(error?.metrics?.earlierAttempts.count, 1)
  }
}
