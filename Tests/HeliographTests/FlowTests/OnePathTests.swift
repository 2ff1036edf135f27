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
        case .received: "received"
        case .delivered: "delivered"
        case .attemptEnded(let report): "attempt \(report.outcome.name)"
        case .ended(let report): report.outcome.name
        case .cache(_, let event): "\(event)"
        case .notice: nil
        }
      if let name { names.withLock { $0.append(name) } }
    }
  }

  private static let forms: [String] = ["raw", "typed", "transformed", "upload", "download", "awaited"]
  private static let signals = forms.filter { $0 != "awaited" }

  private func send(
    _ form: String, _ client: NetworkClient, _ request: Request = Request(.get, "/x")
  ) -> Signal<Void, NetworkError> {
    switch form {
    case "raw": client.enqueue(request: request).map { _ in }
    case "typed": client.enqueue(request: request, resultType: Int.self).map { _ in }
    case "transformed": client.enqueue(request: request) { $0.value.count }.map { _ in }
    case "upload": client.upload(request: request, resultType: Int.self).map { _ in }
    case "awaited": .task { () async throws(NetworkError) in _ = try await client.send(request, as: Int.self) }
    default: client.download(request: request).map { _ in }
    }
  }

  @Test("S4-8 S4-6 S0-22", arguments: forms) func everyFormPassesTheSameStations(_ form: String) async throws {
    let server = try LoopbackServer()
    server.route("GET", "/x") { _ in .json("5") }
    let passers = Passers()
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL)
    configuration.middleware = [passers]
    configuration.monitors = [passers]
    let recorder = SignalRecorder(send(form, NetworkClient(configuration)))
    await recorder.waitForEnd()
    #expect(recorder.isCompleted)
    let expected = ["started", "adapt", "sent", "responded", "received", "delivered", "attempt succeeded", "succeeded"]
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

  /// What a request holds: its place among the active ones, and whatever its owner has put into it.
  @Test("S2-11", arguments: forms) func nothingIsLeftOfAFailure(_ form: String) async throws {
    final class Token: Middleware {}
    weak var left: Token?
    let stub = StubTransport()
    stub.on(.get, "/x", .failure(NetworkError(.network, .connectionLost)))
    do {
      let token = Token()
      left = token
      var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://a.example"), transport: stub)
      configuration.concurrencyLimit = 1
      let client = NetworkClient(configuration)
      var request = Request(.get, "/x")
      request.options.middleware = [token]
      // One after another through the only place: one that kept it would let none of the others begin.
      let recorders = (0..<10).map { _ in SignalRecorder(send(form, client, request)) }
      for recorder in recorders { await recorder.waitForEnd() }
      #expect(recorders.allSatisfy { $0.failure?.code == .connectionLost })
      #expect(stub.requests.count == 10)
    }
    // The thread that has delivered the failure lets go of it a little later.
    let end = ContinuousClock.now + .seconds(10)
    while left != nil, ContinuousClock.now < end { await Task.yield() }
    #expect(left == nil)
  }

  @Test("S2-21", arguments: signals) func itsSignalCarriesMethodAndPath(_ form: String) throws {
    struct Broken: RequestConvertible {
      func asRequest() throws(NetworkError) -> Request { throw NetworkError(.client, .invalidURL) }
    }
    let client = NetworkClient(.init(transport: StubTransport()))
    #expect(name(form, client, Request(.post, "/orders/7?token=secret")) == "POST /orders/7?…")
    #expect(name(form, client, "https://ada:pw@a.example/a?b") == "GET https://a.example/a?…")
    #expect(name(form, client, Broken()) == "Broken")
  }

  private func name(_ form: String, _ client: NetworkClient, _ request: some RequestConvertible) -> String? {
    switch form {
    case "raw": client.enqueue(request: request).name
    case "typed": client.enqueue(request: request, resultType: Int.self).name
    case "transformed": client.enqueue(request: request) { $0.value.count }.name
    case "upload": client.upload(request: request, resultType: Int.self).name
    default: client.download(request: request).name
    }
  }
}
