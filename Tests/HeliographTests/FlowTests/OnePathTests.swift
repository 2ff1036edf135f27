import Foundation
import Heliograph
import HeliographTesting
import Signals
import Testing

/// Every form of a request goes the same way.
@Suite struct OnePathTests {
  /// What came by.
  final class Passers: Middleware, Monitor, Sendable {
    private let names = Guarded<[String]>([])
    var all: [String] { names.withLock { $0 } }

    func adapt(_ request: HTTPRequest) -> Signal<HTTPRequest, NetworkError> {
      names.withLock { $0.append("adapt") }
      return .just(request)
    }

    func observe(_ event: MonitorEvent) {
      let name: String? =
        switch event {
        case .started: "started"
        case .sent: "sent"
        case .responded: "responded"
        case .delivered: "delivered"
        case .attemptEnded(let report): "attempt \(report.outcome.name)"
        case .ended(let report): report.outcome.name
        case .notice: nil
        }
      if let name { names.withLock { $0.append(name) } }
    }
  }

  private static let forms: [String] = ["raw", "typed", "transformed", "upload", "download"]

  private func send(_ form: String, _ client: NetworkClient) -> Signal<Void, NetworkError> {
    switch form {
    case "raw": client.enqueue(request: "/x").map { _ in }
    case "typed": client.enqueue(request: "/x", resultType: Int.self).map { _ in }
    case "transformed": client.enqueue(request: "/x") { $0.value.count }.map { _ in }
    case "upload": client.upload(request: "/x", resultType: Int.self).map { _ in }
    default: client.download(request: "/x").map { _ in }
    }
  }

  @Test("S4-8 S4-6", arguments: forms) func everyFormPassesTheSameStations(_ form: String) async throws {
    let server = try LoopbackServer()
    server.route("GET", "/x") { _ in .json("5") }
    let passers = Passers()
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL)
    configuration.middleware = [passers]
    configuration.monitors = [passers]
    let recorder = SignalRecorder(send(form, NetworkClient(configuration)))
    await recorder.waitForEnd()
    #expect(recorder.isCompleted)
    let expected = ["started", "adapt", "sent", "responded", "delivered", "attempt succeeded", "succeeded"]
    #expect(passers.all == expected)
  }

  @Test("S4-9 S4-6 T15", arguments: forms) func everyFormIsHeldBackWithoutANetwork(_ form: String) async throws {
    let stub = StubTransport()
    let passers = Passers()
    var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://a.example"), transport: stub)
    configuration.reachability = ManualReachability(.unreachable)
    configuration.middleware = [passers]
    configuration.monitors = [passers]
    let recorder = SignalRecorder(send(form, NetworkClient(configuration)))
    await recorder.waitForEnd()
    #expect(recorder.failure?.code == .unreachable)
    #expect(stub.requests.isEmpty)
    #expect(passers.all == ["started", "attempt failed", "failed"])
  }

  @Test("S2-11", arguments: forms) func nothingIsUnderWayAfterAFailure(_ form: String) async throws {
    let stub = StubTransport()
    stub.on(.get, "/x", .failure(NetworkError(.network, .connectionLost)))
    let client = NetworkClient(.init(baseURL: URL(string: "https://a.example"), transport: stub))
    let recorders = (0..<10).map { _ in SignalRecorder(send(form, client)) }
    for recorder in recorders { await recorder.waitForEnd() }
    #expect(recorders.allSatisfy { $0.failure?.code == .connectionLost })
    #expect(stub.activeCount == 0)
  }
}
