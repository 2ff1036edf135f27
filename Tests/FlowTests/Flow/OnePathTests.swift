import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// Every form of a request goes the same way.
struct OnePathTests {
  /// What came by.
  final class Passers: Middleware, Monitor, Sendable {
    private let names = Guarded<[String]>([])
    var all: [String] { names.withLock { $0 } }

    func add(_ name: String) { names.withLock { $0.append(name) } }

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      add("intercept")
      return next(request)
    }

    func observe(_ event: MonitorEvent) {
      let name: String? =
        switch event {
        case .started: "started"
        case .sent: "sent"
        case .redirected: "redirected"
        case .responded: "responded"
        case .received: "received"
        case .delivered: "delivered"
        case .attemptEnded(let report): "attempt \(report.outcome.name)"
        case .ended(let report): report.outcome.name
        case .cache(_, let event): "\(event)"
        case .waiting: "waiting"
        case .notice: nil
        }
      if let name { add(name) }
    }
  }

  private static let signals: [String] = ["raw", "untyped", "typed", "transformed", "upload", "download"]
  private static let forms: [String] =
    signals + [
      "awaited", "bytes", "value", "literal", "uploaded", "saved", "call", "outcomes", "pages", "file", "stream",
      "lines", "line values",
    ] + isolated

  private static let named: [String] =
    signals + ["call", "outcomes", "pages", "elements", "file", "stream", "lines", "line values", "events"]

  /// The folder of downloads, which is removed with the suite.
  private let folder = StoreFolder()

  init() throws { try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true) }

  private func send(
    _ form: String, _ client: NetworkClient, _ request: Request = Request(.get, "/x")
  ) -> Signal<Void, NetworkError> {
    switch form {
    case "raw": client.exchange(request: request).map { _ in }
    case "untyped": client.enqueue(request: request).map { _ in }
    case "typed": client.enqueue(request: request, resultType: Int.self).map { _ in }
    case "transformed": client.enqueue(request: request) { $0.value.count }.map { _ in }
    case "upload": client.upload(request: request, resultType: Int.self).map { _ in }
    case "uploaded": .task { () async throws(NetworkError) in _ = try await client.upload(request, as: Int.self) }
    case "saved":
      .task { [folder] () async throws(NetworkError) in
        _ = try await client.download(request, to: folder.url.appending(path: UUID().uuidString))
      }
    case "awaited": .task { () async throws(NetworkError) in _ = try await client.send(request, as: Int.self) }
    case "bytes": .task { () async throws(NetworkError) in _ = try await client.send(request) }
    case "value": .task { () async throws(NetworkError) in _ = try await client.value(of: request, as: Int.self) }
    case "literal": .task { () async throws(NetworkError) in _ = try await client.value(of: "/x", as: Int.self) }
    case "call": client.call(request, as: Int.self).signal.map { _ in }
    case "outcomes": client.outcomes(of: request, as: Int.self).map { _ in }
    case "pages": client.pages(request: request, as: Int.self).signal.map { _ in }
    case "file": client.download(request: request, to: folder.url.appending(path: UUID().uuidString)).map { _ in }
    case "stream": client.stream(request: request).map { _ in }
    case "lines": client.lines(request: request).map { _ in }
    case "line values": client.lines(request: request, of: Int.self).map { _ in }
    case "download": client.download(request: request).map { _ in }
    default: isolated(form, client, request)
    }
  }

  @Test("S4-8 S4-6 S0-22 S3-10", arguments: forms) func everyFormPassesTheSameStations(_ form: String) async throws {
    let server = try LoopbackServer()
    server.route("GET", "/x") { _ in .json("5") }
    let passers = Passers()
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL)
    configuration.middleware = [passers]
    configuration.monitors = [passers]
    let recorder = SignalRecorder(send(form, NetworkClient(configuration)))
    await recorder.waitForEnd()
    expect(recorder.isCompleted)
    // An isolated value is delivered to its actor before the request succeeds.
    await until { passers.all.contains("succeeded") }
    var names = passers.all
    // A stream is delivered while it is received.
    if ["stream", "lines", "line values"].contains(form), let start = names.firstIndex(of: "delivered"),
      names.dropFirst(start + 1).first == "received"
    {
      names.swapAt(start, start + 1)
    }
    let expected = [
      "started", "intercept", "sent", "responded", "received", "delivered", "attempt succeeded", "succeeded",
    ]
    expectEqual(names, expected)
  }

  @Test("S4-9 S4-6 T15 S0-43 S3-6", arguments: forms) func everyFormIsHeldBackWithoutANetwork(_ form: String)
    async throws
  {
    let stub = StubTransport()
    let passers = Passers()
    var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://a.example"), transport: stub)
    configuration.reachability = ManualReachability(.unreachable)
    configuration.middleware = [passers]
    configuration.monitors = [passers]
    let recorder = SignalRecorder(send(form, NetworkClient(configuration)))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .unreachable)
    expect(stub.requests.isEmpty)
    expectEqual(passers.all, ["started", "attempt failed", "failed"])
  }

  /// What a request holds: its place among the active ones, its client, and whatever its owner has put into it.
  @Test("S2-11", arguments: forms) func nothingIsLeftOfAFailure(_ form: String) async throws {
    final class Token: Middleware {
      func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
        next(request)
      }
    }
    weak var left: Token?
    let stub = StubTransport()
    stub.on(.get, "/x", .failure(NetworkError(.connectionLost)))
    do {
      let token = Token()
      left = token
      var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://a.example"), transport: stub)
      configuration.concurrencyLimit = 1
      // Of the client, too, because a literal has no middleware of its own.
      configuration.middleware = [token]
      let client = NetworkClient(configuration)
      var request = Request(.get, "/x")
      request.options.middleware = [token]
      // One after another through the only place: one that kept it would let none of the others begin.
      let recorders = (0..<10).map { _ in SignalRecorder(send(form, client, request)) }
      for recorder in recorders { await recorder.waitForEnd() }
      expect(recorders.allSatisfy { $0.failure?.code == .connectionLost })
      expectEqual(stub.requests.count, 10)
    }
    // The thread that has delivered the failure lets go of it a little later.
    await until { left == nil }
    expectNil(left)
  }

  @Test("S2-21", arguments: named) func itsSignalCarriesMethodAndPath(_ form: String) throws {
    struct Broken: RequestConvertible {
      func asRequest() throws(NetworkError) -> Request { throw NetworkError(.invalidURL) }
    }
    let client = NetworkClient(.init(transport: StubTransport()))
    expectEqual(name(form, client, Request(.post, "/orders/7?token=secret")), "POST /orders/7?…")
    expectEqual(name(form, client, Request(.get, "https://ada:pw@a.example/a?b")), "GET https://a.example/a?…")
    expectEqual(name(form, client, Broken()), "Broken")
  }

  private func name(_ form: String, _ client: NetworkClient, _ request: some RequestConvertible<Data>) -> String? {
    switch form {
    case "raw": client.exchange(request: request).name
    case "untyped": client.enqueue(request: request).name
    case "typed": client.enqueue(request: request, resultType: Int.self).name
    case "transformed": client.enqueue(request: request) { $0.value.count }.name
    case "upload": client.upload(request: request, resultType: Int.self).name
    case "call": client.call(request, as: Int.self).signal.name
    case "outcomes": client.outcomes(of: request, as: Int.self).name
    case "pages": client.pages(request: request, as: [Int].self).signal.name
    case "elements": client.pages(request: request, as: [Int].self).elements.name
    case "file": client.download(request: request, to: folder.url).name
    case "stream": client.stream(request: request).name
    case "lines": client.lines(request: request).name
    case "line values": client.lines(request: request, of: Int.self).name
    case "events": client.events(request: request).name
    default: client.download(request: request).name
    }
  }
}

// Older compilers have no isolated conformances.
#if compiler(>=6.2)
@MainActor private struct IsolatedNumber: @MainActor Decodable {
  /// The passers that a decoding in the task adds itself to.
  @TaskLocal static var passers: OnePathTests.Passers?

  init(from decoder: any Decoder) throws {
    _ = try decoder.singleValueContainer().decode(Int.self)
    Self.passers?.add("decoded")
  }
}

extension OnePathTests {
  /// The forms whose result is decoded on the caller's actor.
  fileprivate static let isolated = [
    "isolated", "isolated typed", "isolated value", "isolated typed value", "isolated upload",
  ]

  fileprivate func isolated(
    _ form: String, _ client: NetworkClient, _ request: Request
  ) -> Signal<Void, NetworkError> {
    .task { () async throws(NetworkError) in try await Self.sendIsolated(form, client, request) }
  }

  @MainActor private static func sendIsolated(
    _ form: String, _ client: NetworkClient, _ request: Request
  ) async throws(NetworkError) {
    let typed = request.returning(IsolatedNumber.self)
    switch form {
    case "isolated": _ = try await client.send(request, as: IsolatedNumber.self)
    case "isolated typed": _ = try await client.send(typed)
    case "isolated value": _ = try await client.value(of: request, as: IsolatedNumber.self)
    case "isolated typed value": _ = try await client.value(of: typed)
    default: _ = try await client.upload(request, as: IsolatedNumber.self)
    }
  }

  @Test("S4-8", arguments: isolated) @MainActor func anIsolatedResultIsDecodedBeforeItIsDelivered(
    _ form: String
  ) async throws {
    let passers = Passers()
    let kit = TestKit { $0.monitors = [passers] }
    kit.stub.on(.get, "/x", .json("5"))
    try await IsolatedNumber.$passers.withValue(passers) {
      try await Self.sendIsolated(form, kit.client, Request(.get, "/x"))
    }
    expectEqual(
      passers.all,
      ["started", "sent", "responded", "received", "decoded", "delivered", "attempt succeeded", "succeeded"])
  }
}
#else
extension OnePathTests {
  fileprivate static let isolated: [String] = []

  fileprivate func isolated(
    _ form: String, _ client: NetworkClient, _ request: Request
  ) -> Signal<Void, NetworkError> { .empty }
}
#endif
