import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// What requests pass on the way out, and answers on the way back.
struct MiddlewareTests {
  private struct Mark: Middleware {
    let name: String
    let trace: Log<String>
    var runsForAllOrigins = false

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      trace.add("\(name)>")
      var request = request
      request.headers["X-Way"] = (request.headers["X-Way"] ?? "") + name
      return next(request).on(value: { [request] event in
        if case .head = event { trace.add("<\(name)\(request.headers["X-Way"] ?? "")") }
      })
    }
  }

  private struct Waiting: Middleware {
    let subject = PublishSubject<HTTPRequest, NetworkError>()
    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      subject.signal.take(1).flatMap { next($0) }
    }
  }

  let stub = StubTransport()

  private func client(_ global: [any Middleware], _ service: [any Middleware] = []) -> NetworkClient {
    var configuration = NetworkClient.Configuration(
      services: [Bookshop(defaultCommon: [], middleware: service)], transport: stub)
    configuration.middleware = global
    return NetworkClient(configuration)
  }

  @Test("S1-31") func requestsPassFromTheOutsideInAndAnswersBack() {
    stub.on("GET", "/v1/a", .json("{}"))
    let trace = Log<String>()
    func mark(_ name: String) -> Mark { Mark(name: name, trace: trace) }
    let client = client([mark("1"), mark("2")], [mark("s")])
    let request = Request(.get, "a", service: "books", options: .with { $0.middleware = [mark("r")] })
    let recorder = SignalRecorder(client.exchange(request: request))
    expect(recorder.isCompleted)
    expectEqual(trace.entries, ["1>", "2>", "s>", "r>", "<r12sr", "<s12s", "<212", "<11"])
    expectEqual(stub.requests.first?.headers["X-Way"], "12sr")
  }

  @Test("S1-31") func itMayTakeItsTimeAndIsDisposedWithTheRequest() throws {
    stub.on("GET", "/a", .json("{}"), .json("{}"))
    let waiting = Waiting()
    let client = client([waiting])
    let request = Request(.get, "https://cdn.example.com/b", service: "books")
    let adapted = HTTPRequest(url: try require(URL(string: "https://cdn.example.com/a")))
    let recorder = SignalRecorder(client.exchange(request: request))
    expect(recorder.events.isEmpty)
    expect(stub.requests.isEmpty)
    waiting.subject.send(adapted)
    expect(recorder.isCompleted)
    expectEqual(stub.requests.map(\.url.path), ["/a"])
    let other = SignalRecorder(client.exchange(request: request))
    other.dispose()
    waiting.subject.send(adapted)
    expectEqual(stub.requests.count, 1)
    expect(other.events.isEmpty)
  }

  @Test("P13") func ofTheClientAndItsServicesItRunsForTheirOwnOriginsOnly() throws {
    stub.on("GET", "/a", .json("{}"))
    stub.on("GET", "/v1/a", .json("{}"))
    let trace = Log<String>()
    func mark(_ name: String, _ runsForAllOrigins: Bool = false) -> Mark {
      Mark(name: name, trace: trace, runsForAllOrigins: runsForAllOrigins)
    }
    var configuration = NetworkClient.Configuration(
      baseURL: URL(string: "https://api.example"),
      services: [
        Bookshop(defaultCommon: [], middleware: [mark("s"), mark("S", true)]),
        Bookshop(id: "papers", defaultCommon: [], middleware: [mark("p")]),
      ], transport: stub)
    configuration.middleware = [mark("c"), mark("C", true)]
    configuration.trustedOrigins = [Origin(host: "trusted.example")]
    let client = NetworkClient(configuration)
    let ways: [(String, ServiceID?, String)] = [
      ("a", "books", "cCsSr"), ("https://cdn.example.com/a", "books", "cCsSr"), ("/a", nil, "cCr"),
      ("https://trusted.example/a", "books", "cCsSr"), ("https://trusted.example/a", nil, "cCr"),
      ("https://papers-release.example.com/v1/a", "books", "cCSr"), ("https://api.example/a", "books", "cCSr"),
      ("https://books-release.example.com/v1/a", nil, "cCr"), ("https://elsewhere.example/a", "books", "CSr"),
      ("https://elsewhere.example/a", nil, "Cr"), ("https://api.example:444/a", nil, "Cr"),
    ]
    for (path, service, expected) in ways {
      let request = Request(.get, RequestPath(path), service: service, options: .with { $0.middleware = [mark("r")] })
      let recorder = SignalRecorder(client.exchange(request: request))
      expect(recorder.isCompleted)
      expectEqual(stub.requests.last?.headers["X-Way"], expected, "\(path), \(service?.rawValue ?? "none")")
    }
  }

  private struct Moving: Middleware {
    let target: String
    var runsForAllOrigins = false

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      var request = request
      if let url = URL(string: target) { request.url = url }
      return next(request)
    }
  }

  @Test(
    "P13",
    arguments: [
      ("https://books-test.example.com/a", nil), ("https://cdn.example.com/a", nil), ("https://trusted.example/a", nil),
      ("https://elsewhere.example/a", NetworkError.Code.untrustedOrigin),
      ("https://api.example/a", .untrustedOrigin), ("http://trusted.example/a", .untrustedOrigin),
      ("http://cdn.example.com/a", .untrustedOrigin), ("file:///a", .untrustedOrigin),
    ])
  func itMovesARequestToOwnOriginsOnly(_ target: String, _ code: NetworkError.Code?) throws {
    stub.on("GET", "/a", .json("{}"))
    var configuration = NetworkClient.Configuration(
      baseURL: URL(string: "https://api.example"), services: [Bookshop(middleware: [Moving(target: target)])],
      environments: EnvironmentStore(build: .test, storage: .memory()), transport: stub)
    configuration.trustedOrigins = [Origin(host: "trusted.example")]
    let client = NetworkClient(configuration)
    let recorder = SignalRecorder(client.exchange(request: Request(.get, "b", service: "books")))
    expectEqual(recorder.failure?.code, code)
    expectEqual(stub.requests.map(\.url.absoluteString), (code == nil ? [target] : []))
  }

  @Test("S1-36") func whatItMakesPlainHTTPIsRefusedUnlessAllowed() throws {
    stub.on("GET", "/a", .json("{}"))
    for isAllowed in [false, true] {
      var configuration = NetworkClient.Configuration(transport: stub)
      configuration.allowsInsecureHTTP = isAllowed
      // Nothing is this client's own, so it may be moved anywhere.
      configuration.middleware = [Moving(target: "http://b.example/a", runsForAllOrigins: true)]
      let recorder = SignalRecorder(NetworkClient(configuration).exchange(request: "https://a.example/a"))
      expectEqual(recorder.failure?.code, (isAllowed ? nil : .insecureAddress))
      expectEqual(stub.requests.count, (isAllowed ? 1 : 0))
    }
  }

  @Test func itsFailureEndsTheExchange() {
    struct Refusing: Middleware {
      func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
        .fail(NetworkError(.invalidCredentials, reason: "signed out"))
      }
    }
    let recorder = SignalRecorder(client([Refusing()]).exchange(request: Request(.get, "a", service: "books")))
    expectEqual(recorder.failure?.code, .invalidCredentials)
    expectEqual(recorder.failure?.request?.url.path, "/v1/a")
    expect(stub.requests.isEmpty)
  }

  @Test func anErrorOfAResponseHasTheRequestAsItWasSent() async throws {
    stub.on("GET", "/v1/a", .status(401), .json("{"), .status(304))
    let client = client([.bearer { "abc" }])
    for code in [.status(401), .malformedBody, .status(304)] as [NetworkError.Code] {
      let request = Request(.get, "a", service: "books")
      let recorder = SignalRecorder(client.enqueue(request: request, resultType: Int.self))
      await recorder.waitForEnd()
      let error = try require(recorder.failure)
      expectEqual(error.code, code)
      expectEqual(error.request?.headers["Authorization"], "Bearer abc")
      expectEqual(error.request, error.response?.request)
    }
    let conditional = Request(.get, "a", service: "books", headers: ["If-None-Match": "\"1\""])
    let unmodified = try await client.failure(of: conditional, as: Int.self)
    expectEqual(unmodified.code, .status(304))
    expectEqual(unmodified.request?.headers["Authorization"], "Bearer abc")
  }

  private struct Repeatable: Middleware {
    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      var request = request
      request.isIdempotent = true
      return next(request)
    }
  }

  @Test func whatItMarksAsIdempotentIsSentAgain() async {
    stub.on("POST", "/v1/a", .status(503), .json("1"))
    let request = Request(
      .post, "a", service: "books", retry: Retry(limit: 1, backoff: .none),
      options: .with { $0.middleware = [Repeatable()] })
    let recorder = SignalRecorder(client([]).enqueue(request: request, resultType: Int.self))
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.value), [1])
    expectEqual(stub.requests.map(\.method), [.post, .post])
  }

  private struct Posting: Middleware {
    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      var request = request
      request.method = .post
      return next(request)
    }
  }

  /// It is the method as sent that decides.
  @Test func whatItMakesAPostIsNotSentAgain() async {
    stub.on("POST", "/v1/a", .status(503), .json("1"))
    let request = Request(
      .get, "a", service: "books", retry: Retry(limit: 1, backoff: .none),
      options: .with { $0.middleware = [Posting()] })
    let recorder = SignalRecorder(client([]).enqueue(request: request, resultType: Int.self))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .status(503))
    expectEqual(stub.requests.map(\.method), [.post])
  }

  @Test func anAuthorizationIsSetWhereThereIsNone() async throws {
    let server = try LoopbackServer()
    let other = try LoopbackServer()
    other.route("GET", "/b") { _ in .text("b") }
    server.route("GET", "/a") { _ in .text("a") }
    server.route("GET", "/away") { _ in .redirect(to: other.url("/b").absoluteString) }
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL)
    configuration.middleware = [.authorization { .just(try? .bearer(token: "abc")) }]
    let client = NetworkClient(configuration)
    let own = Request(.get, "/a", headers: ["Authorization": "own"])
    for request in [Request(.get, "/a"), own, Request(.get, "/away")] {
      await SignalRecorder(client.exchange(request: request)).waitForEnd()
    }
    expectEqual(server.log.requests.map { $0.header("Authorization") }, ["Bearer abc", "own", "Bearer abc"])
    expectEqual(other.log.requests.map { $0.header("Authorization") }, [nil])
  }

  @Test("P13") func aSignatureInTheHeaderDoesNotCrossOrigins() async throws {
    let server = try LoopbackServer()
    let other = try LoopbackServer()
    other.route("GET", "/b") { _ in .text("b") }
    server.route("GET", "/away") { _ in .redirect(to: other.url("/b").absoluteString) }
    let shop = Bookshop(
      defaultCommon: [], signer: HMACSigner(key: Data("key".utf8), location: .header),
      addresses: ServiceAddresses(server.baseURL))
    let client = NetworkClient(.init(services: [shop]))
    await SignalRecorder(client.exchange(request: Request(.get, "/away", service: "books"))).waitForEnd()
    expect(server.log.requests.first?.header("X-Signature") != nil)
    let names = try require(other.log.requests.first).headers.map { $0.name.lowercased() }
    expect(!names.contains { $0.hasPrefix("x-") })
  }

  @Test func aTokenThatChangesSendsNothingAgain() throws {
    stub.on("POST", "/v1/a", .json("1"))
    let tokens = CurrentValue<Authorization?>(try .bearer(token: "a"))
    let changing = [try Authorization.bearer(token: "b"), try .bearer(token: "c")].map(Optional.some)
    for signal in [.from(changing), tokens.signal.setFailureType(to: NetworkError.self)] {
      let client = client([.authorization { signal }])
      let recorder = SignalRecorder(client.exchange(request: Request(.post, "a", service: "books")))
      tokens.value = try .bearer(token: "d")
      expectEqual(recorder.values.count, 1)
      expect(recorder.isCompleted)
    }
    expectEqual(stub.requests.map { $0.headers["Authorization"] }, ["Bearer b", "Bearer d"])
  }

  /// Decrypts responses with a key of the server.
  private struct Decrypting: Middleware {
    let keys: CurrentValue<NetworkClient?>

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      next(request).collect().flatMap { events in
        guard let keys = keys.value else { return .fail(NetworkError(.noValue)) }
        return keys.enqueue(request: "/key", resultType: NoContent.self).flatMap { _ in Signal.from(events) }
      }
    }
  }

  /// Its failure says nothing of the order, which the server has processed.
  @Test(
    "P13",
    arguments: [
      StubAnswer.failure(NetworkError(.connectionLost)), .failure(NetworkError(.unreachable)), .status(401),
    ])
  func aPostIsNotRepeatedBecauseOfAnotherRequestOfItsMiddleware(_ answer: StubAnswer) {
    let keys = CurrentValue<NetworkClient?>(nil)
    stub.on(.post, "/order", .status(200))
    stub.on(.get, "/key", answer, .status(200))
    var configuration = NetworkClient.Configuration(
      baseURL: URL(string: "https://a.example"), services: [], transport: stub)
    configuration.reachability = UnwatchedReachability()
    configuration.processing = .immediate
    keys.value = NetworkClient(configuration)
    configuration.middleware = [Decrypting(keys: keys)]
    configuration.retry = Retry(limit: 1, backoff: .none)
    configuration.waitsForConnectivity = true
    configuration.recoveries = [Recovery { Signal<Void, NetworkError>.just(()) }]
    let recorder = SignalRecorder(NetworkClient(configuration).exchange(request: Request(.post, "/order")))
    expectEqual(recorder.failure?.code, .transformFailed, "\(recorder.events)")
    expectEqual(recorder.failure?.request?.url.path, "/order")
    expectEqual((recorder.failure?.underlying as? NetworkError)?.request?.url.path, "/key")
    expectEqual(stub.requests.map(\.method), [.post, .get])
  }
}
