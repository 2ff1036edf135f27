import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// A rule that reports what it is asked for.
private struct Observed<Base: ExchangeRule>: ExchangeRule {
  var base: Base
  var number = 0
  let observe: @Sendable (ExchangeSequenceTests.Moment, Int) -> Void

  var request: HTTPRequest { base.request }
  var isIdempotent: Bool { base.isIdempotent }
  var isRedirecting: Bool { base.isRedirecting }
  var isAuthenticated: Bool { base.isAuthenticated }
  var isAfterEffect: Bool { base.isAfterEffect }

  mutating func makeRequest() -> HTTPRequest {
    observe(.sending, number)
    return base.makeRequest()
  }

  func hasLostCredentials(at head: HTTPResponse) -> Bool { base.hasLostCredentials(at: head) }

  func successor(after head: HTTPResponse) throws(NetworkError) -> Observed? {
    observe(.deciding, number)
    return try base.successor(after: head).map { Observed(base: $0, number: number + 1, observe: observe) }
  }
}

/// An identity that changes while requests are in flight.
private final class ChangingIdentity: RequestIdentity {
  let hasAccounts = true
  private let state = Guarded(false)

  var jar: (any CookieJar)? { nil }
  func changedComponent(needsEnvironment: Bool) -> String? { state.withLock { $0 } ? "account" : nil }
  var text: String { "ann" }

  func change() { state.withLock { $0 = true } }
}

/// Lives as long as the sequence that retains it.
private final class Token: Sendable {}

/// Sequences that are disposed between two exchanges: nothing more is sent or delivered, and nothing is retained.
final class ExchangeSequenceTests: Sendable {
  enum Kind: CaseIterable { case redirects, digest }
  /// After the first response: when the rule decides about it, and when the next request is about to be sent.
  enum Moment: CaseIterable { case deciding, sending }

  private let server: LoopbackServer
  private let request: HTTPRequest
  private let events = Guarded<[Event<TransportEvent, NetworkError>]>([])
  private let handle = Disposable()

  init() throws {
    server = try LoopbackServer()
    request = HTTPRequest(url: server.url("/old"))
    server.route("GET", "/new") { _ in .text("hello") }
  }

  private func route(_ kind: Kind, _ change: @escaping @Sendable (LoopbackResponse) -> LoopbackResponse = { $0 }) {
    server.route("GET", "/old") { request in
      switch kind {
      case .redirects: change(.redirect(to: "/new"))
      case .digest where request.header("Authorization") == nil:
        change(.status(401).header("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""))
      case .digest: .text("hello")
      }
    }
  }

  /// Starts a sequence and returns what lives as long as it does.
  private func start(
    _ kind: Kind, _ request: HTTPRequest? = nil, over transport: any Transport,
    observe: @escaping @Sendable (Moment, Int) -> Void
  ) throws -> () -> Bool {
    let request = request ?? self.request
    let token = Token()
    let receive: ExchangeContext.Receive = { [self] event in
      withExtendedLifetime(token) { events.withLock { $0.append(event) } }
    }
    let sequence = ExchangeSequence(
      of: request, over: transport.chained, in: ExchangeContext(scope: handle, receive: receive))
    switch kind {
    case .redirects:
      let rule = Observed(base: RedirectRule(request, .follow, limit: 10), observe: observe)
      sequence.start(rule)
    case .digest:
      let origin = try require(Origin(server.baseURL))
      let digest = DigestTransport(transport, origins: [origin]) { (user: "ada", password: "sesame") }
      let rule = Observed(base: DigestRule(request, to: origin, digest), observe: observe)
      sequence.start(rule)
    }
    return { [weak token] in token != nil }
  }

  @Test(arguments: TransportKind.present, Kind.allCases)
  func theExchangesAreDeliveredAsOne(_ transport: TransportKind, _ kind: Kind) async throws {
    route(kind)
    let moments = Guarded<[String]>([])
    let isAlive = try start(kind, over: try transport.transport()) { moment, number in
      moments.withLock { $0.append("\(moment) \(number)") }
    }
    await until { !isAlive() }
    expectEqual(moments.withLock { $0 }, ["sending 0", "deciding 0", "sending 1", "deciding 1"])
    let events = events.withLock { $0 }
    expectEqual(events.compactMap(\.value).body, Data("hello".utf8))
    expectEqual(events.last?.isTerminal, true)
    expectEqual(events.filter(\.isTerminal).count, 1)
    expect(!handle.isDisposed)
  }

  @Test(arguments: TransportKind.present.flatMap { kind in Kind.allCases.map { (kind, $0) } }, Moment.allCases)
  func nothingIsSentAfterADisposal(_ pair: (TransportKind, Kind), _ chosen: Moment) async throws {
    route(pair.1)
    let isAlive = try start(pair.1, over: try pair.0.transport()) { [handle] moment, number in
      if moment == chosen, number == (chosen == .deciding ? 0 : 1) { handle.dispose() }
    }
    // With the sequence everything is gone that could send or deliver.
    await until { !isAlive() }
    expect(events.withLock { $0.isEmpty })
    expectEqual(server.log.requests.count, 1)
  }

  /// Over `URLSession` on Linux nothing is known of a response before its body has arrived.
  @Test(.enabled(if: CurlTransport.isAvailable), arguments: Kind.allCases)
  func theWaitForABodyIsCancelledWithTheSequence(_ kind: Kind) async throws {
    route(kind) { _ in
      let field =
        kind == .redirects
        ? "302 Found\r\nLocation: /new" : "401 No\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\""
      return .script([.text("HTTP/1.1 \(field)\r\nContent-Length: 10\r\n\r\nabc"), .hold])
    }
    let isAlive = try start(kind, over: try CurlTransport()) { [handle] moment, _ in
      if moment == .deciding { handle.dispose() }
    }
    await until { !isAlive() }
    await expect(server.wait { $0.openConnectionCount == 0 })
    expect(events.withLock { $0.isEmpty })
    expectEqual(server.log.requests.count, 1)
  }

  /// The subscriber leaves at the first event, while the signal is being subscribed to.
  @Test(arguments: Kind.allCases) func aSubscriberThatDisposesAtOnceCausesNoFurtherRequest(_ kind: Kind) throws {
    let stub = StubTransport()
    let headers: HTTPHeaders =
      kind == .redirects
      ? ["Location": "/new"] : ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""]
    let first = StubAnswer([.source(.shared), .head(status: kind == .redirects ? 302 : 401, headers: headers)])
    stub.on(.get, "/old", first, .status(200))
    let url = try require(URL(string: "https://a.example/old"))
    let transport: any Transport =
      kind == .redirects
      ? RedirectingTransport(stub)
      : DigestTransport(stub, origins: [Origin(host: "a.example")]) {
        (user: "ada", password: "sesame")
      }
    let recorder = SignalRecorder(transport.send(HTTPRequest(url: url)).take(1))
    expectEqual(recorder.values, [.source(.shared)])
    expectEqual(stub.requests.count, 1)
    expectEqual(stub.activeCount, 0)
  }

  @Test(arguments: Kind.allCases) func nothingIsSentForAFormerIdentity(_ kind: Kind) async throws {
    route(kind)
    let identity = ChangingIdentity()
    var request = request
    request.binding.identity = identity
    let isAlive = try start(kind, request, over: URLSessionTransport()) { moment, _ in
      if moment == .deciding { identity.change() }
    }
    await until { !isAlive() }
    expect(events.withLock { $0.isEmpty })
    expectEqual(server.log.requests.count, 1)
  }

  /// A refused redirect fails the sequence; the exchange whose response it was is disposed, and its body not read.
  @Test func aRefusedRedirectDisposesItsExchange() throws {
    let clock = VirtualScheduler()
    let stub = StubTransport(scheduler: clock)
    stub.on(.get, "/old", StubAnswer([.head(status: 302, headers: ["Location": "ftp://a.example"]), .never]))
    let count = Guarded<Int?>(nil)
    let old = HTTPRequest(url: try require(URL(string: "https://a.example/old")))
    let context = ExchangeContext(scope: handle) { [self] event in
      // Before the failure is delivered: a retry finds the connection free.
      if event.isTerminal { count.withLock { $0 = stub.cancelledCount } }
      events.withLock { $0.append(event) }
    }
    ExchangeSequence(of: old, over: stub.chained, in: context).start(RedirectRule(old, .follow, limit: 10))
    expectEqual(events.withLock { $0 }.compactMap { $0.failure?.code }, [.invalidRedirect])
    expectEqual(stub.activeCount, 0)
    expectEqual(count.withLock { $0 }, 1)
  }

  /// A thread disposes while another one goes through the exchanges.
  @Test func aDisposalLeavesNoExchangeBehind() async throws {
    let stub = StubTransport()
    stub.on(.get, "/old") { _ in .status(302, headers: ["Location": "/old"]) }
    let old = HTTPRequest(url: try require(URL(string: "https://a.example/old")))
    for _ in 0..<100 {
      let token = Guarded<Token?>(Token())
      let isAlive = { [weak token = token.withLock { $0 }] in token != nil }
      let handle = Disposable()
      await together(2) { thread in
        if thread == 1 { return handle.dispose() }
        let held = token.withLock { $0.take() }
        let context = ExchangeContext(scope: handle) { _ in withExtendedLifetime(held) {} }
        ExchangeSequence(of: old, over: stub.chained, in: context).start(RedirectRule(old, .follow, limit: 40))
      }
      await until { !isAlive() }
      expectEqual(stub.activeCount, 0)
    }
  }
}
