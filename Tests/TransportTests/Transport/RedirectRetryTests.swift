import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// Sends a head whose body never ends, and fails at the deadline, as an exchange over a network does.
private final class HangingTransport: Transport {
  private let statusCode: Int
  private let headers: HTTPHeaders
  private let count = Guarded(0)

  init(_ statusCode: Int, _ headers: HTTPHeaders) {
    self.statusCode = statusCode
    self.headers = headers
  }

  /// The number of requests sent.
  var sentCount: Int { count.withLock { $0 } }

  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    Signal { observer in
      self.count.withLock { $0 += 1 }
      request.deadline?.enter(self) { observer.fail(NetworkError(.timedOut, request: request)) }
      observer.send(.head(HTTPResponse(statusCode: self.statusCode, headers: self.headers, url: request.url)))
      return Disposable { request.deadline?.leave(self) }
    }
  }
}

/// Redirect chains: the request of an error, resending, and the total timeout.
struct RedirectRetryTests {
  private func configuration(_ transport: any Transport) -> NetworkClient.Configuration {
    var configuration = NetworkClient.Configuration(
      baseURL: URL(string: "https://a.example"), services: [], transport: transport)
    configuration.processing = .immediate
    configuration.reachability = UnwatchedReachability()
    return configuration
  }

  /// The server closes the kept connection when the `GET` arrives.
  @Test(.enabled(if: CurlTransport.isAvailable)) func theGetAfterA303IsResentOnANewConnection() async throws {
    let shop = try Shop(transport: try CurlTransport())
    shop.server.route("POST", "/orders") { _ in .redirect(to: "/done", status: 303) }
    // The `POST` came on the first connection, which is kept.
    shop.server.route("GET", "/done") { request in request.connection == 0 ? .script([.close]) : .text("done") }
    let request = Request(.post, "/orders", body: .data(Data("once".utf8), contentType: "text/plain"))
    let recorder = SignalRecorder(shop.client.exchange(request: request))
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.value), [Data("done".utf8)], "\(recorder.events)")
    expectEqual(recorder.values.first?.metrics?.resendCount, 1)
    expectEqual(shop.server.log.requests(to: "/orders").count, 1)
    expectEqual(shop.server.log.requests(to: "/done").count, 2)
  }

  /// A retry would repeat the whole chain, from the `POST` on.
  @Test(arguments: [false, true]) func aPostIsNotRepeatedBecauseOfTheGetAfterIt(_ isDecided: Bool) {
    let stub = StubTransport()
    stub.on(.post, "/orders", .status(303, headers: ["Location": "/done"]))
    stub.on(.get, "/done") { request in .failure(NetworkError(.connectionLost, request: request)) }
    var configuration = configuration(stub)
    configuration.retry = Retry(limit: 1, backoff: .none)
    if isDecided {
      configuration.redirects = .decide { _, proposed in .follow(HTTPRequest(url: proposed.url)) }
    }
    let recorder = SignalRecorder(NetworkClient(configuration).exchange(request: Request(.post, "/orders")))
    expectEqual(recorder.failure?.code, .connectionLost)
    expectEqual(stub.requests.map(\.method), [.post, .get])
    expectEqual(stub.requests.last?.isIdempotent, true)
    expectEqual(recorder.failure?.request?.method, .get)
    expectEqual(recorder.failure?.request?.isIdempotent, false)
    expect(stub.unexpectedRequests.isEmpty)
  }

  /// A first order and the origin to which it is redirected, whose connection is lost after the first request.
  private func redirectedOrder(
    _ location: String = "https://b.example/new", method: HTTPMethod = .post, body: RequestBody = .empty,
    _ set: (inout NetworkClient.Configuration, inout RequestOptions) -> Void = { _, _ in }
  ) -> (stub: StubTransport, recorder: SignalRecorder<Response<Data>, NetworkError>) {
    let stub = StubTransport()
    stub.on(method, "https://a.example/orders", .status(307, headers: ["Location": "\(location)"]))
    stub.on("*", "https://b.example/new", .failure(NetworkError(.connectionLost)), .status(201))
    stub.on("*", "https://b.example/busy", .status(503), .status(201))
    stub.on("*", "https://c.example/see", .failure(NetworkError(.connectionLost)), .status(200))
    stub.on("*", "https://b.example/see", .status(303, headers: ["Location": "https://c.example/see"]))
    var configuration = configuration(stub)
    configuration.retry = Retry(limit: 1, backoff: .none)
    var options = RequestOptions()
    set(&configuration, &options)
    let request = Request(method, "/orders", body: body, options: options)
    return (stub, SignalRecorder(NetworkClient(configuration).enqueue(request: request)))
  }

  /// The other origin recognizes the second order by the key.
  @Test(arguments: [true, false]) func theIdempotencyKeyCrossesWithTheBody(_ hasBody: Bool) {
    let body = hasBody ? RequestBody.data(Data("lamp".utf8), contentType: "text/plain") : .empty
    let (stub, recorder) = redirectedOrder(body: body) { _, options in
      options.idempotencyKey = "order-7"
      options.sendsBodyAcrossOrigins = true
    }
    expectEqual(recorder.values.map(\.statusCode), [201], "\(recorder.events)")
    let keys = stub.requests.filter { $0.url.host == "b.example" }.map { $0.headers["Idempotency-Key"] }
    expectEqual(keys, ["order-7", "order-7"])
  }

  /// Where nothing else may cross, the key does not either, and the other origin gets no second order.
  @Test(arguments: ["https://b.example/new", "https://b.example/see", "https://b.example/busy"])
  func withoutItsKeyAnOrderIsNotRepeated(_ location: String) {
    let (stub, recorder) = redirectedOrder(location) { _, options in options.idempotencyKey = "order-7" }
    expectEqual(
      recorder.failure?.code, location.hasSuffix("busy") ? .status(503) : .connectionLost, "\(recorder.events)")
    expectEqual(recorder.failure?.request?.isIdempotent, false)
    let orders = stub.requests.filter { $0.url.host == "b.example" }
    expectEqual(orders.map(\.method), [.post])
    expectEqual(orders.map(\.isIdempotent), [false])
    expectEqual(orders.map { $0.headers["Idempotency-Key"] }, [nil])
  }

  /// A `PUT` needs no key, and within the origin the key remains.
  @Test func whatIsIdempotentWithoutAKeyIsRepeated() {
    let (stub, recorder) = redirectedOrder(method: .put) { _, options in options.idempotencyKey = "order-7" }
    expectEqual(recorder.values.map(\.statusCode), [201], "\(recorder.events)")
    expectEqual(stub.requests.map(\.method), [.put, .put, .put, .put])
    let (same, ended) = redirectedOrder("https://a.example/orders/7") { _, options in options.idempotencyKey = "k" }
    expectEqual(same.requests.map { $0.headers["Idempotency-Key"] }, ["k", "k"], "\(ended.events)")
    expectEqual(same.requests.map(\.isIdempotent), [true, true])
  }

  /// A closure may make a chain that must not be repeated.
  @Test(arguments: [true, false]) func aGetIsNotRepeatedBecauseOfThePostAfterIt(_ isNew: Bool) {
    let (stub, recorder) = redirectedOrder(method: .get) { configuration, _ in
      configuration.redirects = .decide { _, proposed in
        var next = isNew ? HTTPRequest(url: proposed.url) : proposed
        next.method = .post
        return .follow(next)
      }
    }
    expectEqual(recorder.failure?.code, .connectionLost)
    expectEqual(stub.requests.map(\.method), [.get, .post])
  }

  /// Otherwise a transport would resend it after the end of a kept connection.
  @Test func aPostThatAClosureKeepsIsNotIdempotent() {
    let stub = StubTransport()
    stub.on(.post, "/orders", .status(302, headers: ["Location": "/new"]))
    stub.on(.post, "/new", .status(201))
    var configuration = configuration(stub)
    configuration.redirects = .decide { _, proposed in
      var next = proposed
      next.method = .post
      return .follow(next)
    }
    for isMarked in [false, true] {
      let options = RequestOptions.with { $0.isIdempotent = isMarked }
      let client = NetworkClient(configuration)
      let recorder = SignalRecorder(client.enqueue(request: Request(.post, "/orders", options: options)))
      expectEqual(recorder.values.map(\.statusCode), [201], "\(recorder.events)")
      expectEqual(stub.requests.last?.isIdempotent, false)
    }
  }

  /// Nor because of its status.
  @Test func aPostIsNotRepeatedBecauseOfTheStatusOfTheGetAfterIt() {
    let stub = StubTransport()
    stub.on(.post, "/orders", .status(303, headers: ["Location": "/done"]))
    stub.on(.get, "/done", .status(503), .status(200))
    var configuration = configuration(stub)
    configuration.retry = Retry(limit: 1, backoff: .none)
    let recorder = SignalRecorder(NetworkClient(configuration).enqueue(request: Request(.post, "/orders")))
    expectEqual(recorder.failure?.code, .status(503), "\(recorder.events)")
    expectEqual(stub.requests.map(\.method), [.post, .get])
  }

  /// The redirect shows that the order was processed; the refresh helps the next requests.
  @Test(arguments: [302, 303]) func aPostIsNotRepeatedBecauseOfARejectionOfTheGetAfterIt(_ status: Int) {
    let stub = StubTransport()
    let refreshes = Guarded(0)
    stub.on(.post, "/orders", .status(status, headers: ["Location": "/done"]))
    stub.on(.get, "/done", .status(401))
    var configuration = configuration(stub)
    configuration.recoveries = [
      Recovery { Signal<Void, NetworkError>.just(()).on(value: { refreshes.withLock { $0 += 1 } }) }
    ]
    let recorder = SignalRecorder(NetworkClient(configuration).enqueue(request: Request(.post, "/orders")))
    expectEqual(recorder.failure?.code, .status(401), "\(recorder.events)")
    expectEqual(recorder.failure?.reason.contains("not idempotent"), true, "\(recorder.events)")
    expectEqual(stub.requests.map(\.method), [.post, .get])
    expectEqual(refreshes.withLock { $0 }, 1)
    let idempotent = Request(.post, "/orders", options: .with { $0.idempotencyKey = .automatic })
    _ = SignalRecorder(NetworkClient(configuration).enqueue(request: idempotent))
    expectEqual(stub.requests.map(\.method), [.post, .get, .post, .get, .post, .get])
  }

  /// Such an error can be retried like any other.
  @Test func anErrorWithoutARequestGetsThatOfTheTarget() {
    let stub = StubTransport()
    stub.on(.get, "/old", .status(302, headers: ["Location": "/new"]))
    stub.on(.get, "/new", .failure(NetworkError(.connectionLost)))
    var configuration = configuration(stub)
    configuration.retry = Retry(limit: 1, backoff: .none)
    let recorder = SignalRecorder(NetworkClient(configuration).exchange(request: "/old"))
    expectEqual(recorder.failure?.code, .connectionLost)
    expectEqual(recorder.failure?.request?.url.path, "/new")
    expectEqual(recorder.failure?.request?.isIdempotent, true)
    expectEqual(stub.requests.map(\.url.path), ["/old", "/new", "/old", "/new"])
  }

  /// The total timeout elapses while the body of a redirect, or of a 401 that is answered, is awaited.
  @Test(arguments: [307, 401]) func nothingIsSentAfterTheTotalTimeout(_ status: Int) {
    let headers: HTTPHeaders =
      status == 307 ? ["Location": "/new"] : ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""]
    // Such a body is awaited for 250 ms of real time: a slower round shows nothing, and is repeated.
    for _ in 0..<100 {
      let clock = VirtualScheduler()
      let hanging = HangingTransport(status, headers)
      var configuration = configuration(
        DigestTransport(hanging, origins: [Origin(host: "a.example")]) {
          (user: "ada", password: "sesame")
        })
      configuration.scheduler = clock
      configuration.totalTimeout = .seconds(10)
      let client = NetworkClient(configuration)
      let start = ContinuousClock.now
      let recorder = SignalRecorder(client.exchange(request: "/old"))
      clock.advance(by: .seconds(10))
      let (failure, sentCount) = (recorder.failure, hanging.sentCount)
      if ContinuousClock.now - start >= ExchangeSequence.droppedBodyTime { continue }
      expectEqual(failure?.code, .timedOut)
      expectEqual(failure?.request?.url.path, "/old")
      expectEqual(sentCount, 1)
      expect(recorder.violations.isEmpty)
      return
    }
    Issue.record("each round took longer than a redirect's body is awaited")
  }
}
