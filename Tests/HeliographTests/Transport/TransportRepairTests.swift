import Foundation
import HeliographTesting
import Signals
import Testing

@testable import Heliograph

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

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
      request.deadline?.enter(self) { observer.fail(NetworkError(.network, .timedOut, request: request)) }
      observer.send(.head(HTTPResponse(statusCode: self.statusCode, headers: self.headers, url: request.url)))
      return Disposable { request.deadline?.leave(self) }
    }
  }
}

/// Redirect chains: the request of an error, resending, and the total timeout.
@Suite struct RedirectRepairTests {
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
    let recorder = SignalRecorder(shop.client.enqueue(request: request))
    await recorder.waitForEnd()
    #expect(recorder.values.map(\.value) == [Data("done".utf8)], "\(recorder.events)")
    #expect(recorder.values.first?.metrics?.resendCount == 1)
    #expect(shop.server.log.requests(to: "/orders").count == 1)
    #expect(shop.server.log.requests(to: "/done").count == 2)
  }

  /// A retry would repeat the whole chain, from the `POST` on.
  @Test(arguments: [false, true]) func aPostIsNotRepeatedBecauseOfTheGetAfterIt(_ isDecided: Bool) {
    let stub = StubTransport()
    stub.on(.post, "/orders", .status(303, headers: ["Location": "/done"]))
    stub.on(.get, "/done") { request in .failure(NetworkError(.network, .connectionLost, request: request)) }
    var configuration = configuration(stub)
    configuration.retry = Retry(limit: 1, backoff: .none)
    if isDecided {
      configuration.redirects = .decide { _, proposed in .follow(HTTPRequest(url: proposed.url)) }
    }
    let recorder = SignalRecorder(NetworkClient(configuration).enqueue(request: Request(.post, "/orders")))
    #expect(recorder.failure?.code == .connectionLost)
    #expect(stub.requests.map(\.method) == [.post, .get])
    #expect(stub.requests.last?.isIdempotent == true)
    #expect(recorder.failure?.request?.method == .get)
    #expect(recorder.failure?.request?.isIdempotent == false)
    #expect(stub.unexpectedRequests.isEmpty)
  }

  /// Such an error can be retried like any other.
  @Test func anErrorWithoutARequestGetsThatOfTheTarget() {
    let stub = StubTransport()
    stub.on(.get, "/old", .status(302, headers: ["Location": "/new"]))
    stub.on(.get, "/new", .failure(NetworkError(.network, .connectionLost)))
    var configuration = configuration(stub)
    configuration.retry = Retry(limit: 1, backoff: .none)
    let recorder = SignalRecorder(NetworkClient(configuration).enqueue(request: "/old"))
    #expect(recorder.failure?.code == .connectionLost)
    #expect(recorder.failure?.request?.url.path == "/new")
    #expect(recorder.failure?.request?.isIdempotent == true)
    #expect(stub.requests.map(\.url.path) == ["/old", "/new", "/old", "/new"])
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
          try? DigestCredentials(user: "ada", password: "sesame")
        })
      configuration.clock = clock
      configuration.totalTimeout = .seconds(10)
      let client = NetworkClient(configuration)
      let start = ContinuousClock.now
      let recorder = SignalRecorder(client.enqueue(request: "/old"))
      clock.advance(by: .seconds(10))
      let (failure, sentCount) = (recorder.failure, hanging.sentCount)
      if ContinuousClock.now - start >= RedirectChain.droppedBodyTime { continue }
      #expect(failure?.code == .timedOut)
      #expect(failure?.request?.url.path == "/old")
      #expect(sentCount == 1)
      #expect(recorder.violations.isEmpty)
      return
    }
    Issue.record("each round took longer than a redirect's body is awaited")
  }
}

@Suite struct DeadlineRepairTests {
  private final class Stage: Sendable {}

  private let clock = VirtualScheduler()
  private let stage = Stage()

  @Test func aStageThatEntersLateEndsAtOnceUnlessTheTimerWasStopped() {
    let count = Guarded(0)
    let passed = Deadline(after: .seconds(1), on: clock)
    passed.start {}
    clock.advance(by: .seconds(1))
    #expect(passed.hasPassed)
    passed.enter(stage) { count.withLock { $0 += 1 } }
    #expect(count.withLock { $0 } == 1)
    clock.advance(by: .seconds(60))
    passed.leave(stage)
    passed.stop()
    passed.enter(stage) { count.withLock { $0 += 1 } }
    #expect(count.withLock { $0 } == 1)
    let stopped = Deadline(after: .seconds(1), on: clock)
    stopped.start {}
    stopped.stop()
    stopped.enter(stage) { count.withLock { $0 += 1 } }
    clock.advance(by: .seconds(60))
    #expect(count.withLock { $0 } == 1)
    #expect(clock.pendingCount == 0)
  }
}

@Suite struct CircuitsRepairTests {
  private let clock = VirtualScheduler()
  private let circuits: Circuits

  init() { circuits = Circuits(failureLimit: 2, cooldown: .seconds(30), scheduler: clock) }

  private func fault(_ host: String) {
    if case .admitted(let ticket) = circuits.admit(to: Origin(host: host)) { circuits.note(.fault, ticket) }
  }

  private func isOpen(_ host: String) -> Bool {
    if case .refused = circuits.admit(to: Origin(host: host)) { true } else { false }
  }

  @Test func faultsOfTooManyOriginsAreForgottenAndOpenCircuitsAreNot() {
    for _ in 0..<2 { fault("open") }
    clock.advance(by: .milliseconds(29_999))
    var maximum = 0
    for number in 0..<(Circuits.limit + 10) {
      fault("h\(number)")
      maximum = max(maximum, circuits.count)
    }
    #expect(maximum <= Circuits.limit)
    #expect(isOpen("open"))
    // The first fault of this origin was forgotten, that of the last one was not.
    fault("h0")
    #expect(!isOpen("h0"))
    fault("h\(Circuits.limit + 9)")
    #expect(isOpen("h\(Circuits.limit + 9)"))
  }
}

@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlRepairTests {
  /// The handle of the first request, which is used again, still has its figures.
  @Test func anUploadOfAMissingFileHasNoFiguresOfAnEarlierRequest() async throws {
    let server = try LoopbackServer()
    server.route("*", "/a") { _ in .text("a") }
    let transport = try CurlTransport()
    let first = SignalRecorder(transport.send(HTTPRequest(url: server.url("/a"))))
    await first.waitForEnd()
    #expect(first.values.metrics?.sentAt != nil, "\(first.events)")
    let missing = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let upload = HTTPRequest(method: .put, url: server.url("/a"), body: .file(missing))
    let second = SignalRecorder(transport.send(upload))
    await second.waitForEnd()
    #expect(second.failure?.domain == .client)
    #expect(second.failure?.code == .invalidBody)
    let metrics = try #require(second.failure?.metrics)
    #expect(metrics.sentAt == nil)
    #expect(metrics.firstByteAt == nil)
    #expect(metrics.sentByteCount == 0)
    #expect(metrics.receivedByteCount == 0)
    #expect(server.log.requests.count == 1)
  }

  #if HELIOGRAPH_CURL
  /// A host's name in libcurl's text is not an alert of the server; the results are libcurl's public numbers.
  @Test(
    arguments: [
      // CURLE_COULDNT_RESOLVE_HOST
      (6, "Could not resolve host: certificate.alertmanager.internal", .cannotFindHost),
      // CURLE_PEER_FAILED_VERIFICATION
      (60, "SSL: no certificate subject name matches host 'alertmanager.internal'", .untrustedCertificate),
      // CURLE_SSL_CONNECT_ERROR, CURLE_SEND_ERROR, CURLE_RECV_ERROR
      (35, "error:0A000412:SSL routines::sslv3 alert bad certificate", .rejectedClientCertificate),
      (55, "SSL_write() returned SYSCALL: tlsv1 alert unknown ca", .rejectedClientCertificate),
      (56, "SSL_read: tlsv13 alert certificate required, errno 0", .rejectedClientCertificate),
      (56, "Recv failure: Connection reset by peer", .connectionLost),
    ] as [(Int, String, NetworkError.Code)])
  func onlyFailuresOfAConnectionAreRefusalsOfACertificate(_ result: Int, _ text: String, _ code: NetworkError.Code) {
    let error = NetworkError(curl: result, text, .sample())
    #expect(error.code == code)
    #expect(error.domain == .network)
    #expect(error.reason == text)
  }
  #endif
}

#if canImport(FoundationNetworking)
/// Foundation on Linux stores a cookie under its domain, path and name without separators.
@Suite struct CookieCollisionTests {
  private let storage: HTTPCookieStorage

  init() throws { storage = try .inMemory }

  private func keep(_ fields: String..., from address: String = "https://shop.example/") throws {
    storage.keep(fields, from: try #require(URL(string: address)))
  }

  /// The `Cookie` field of a request to an address.
  private func sent(to address: String = "https://shop.example/app") throws -> String? {
    storage.field(for: HTTPRequest(url: try #require(URL(string: address))))
  }

  @Test(arguments: ["ion=x; Path=/sess; Max-Age=0", "ion=x; Path=/sess"])
  func httpDoesNotOverwriteASecureCookieUnderTheSameKey(_ field: String) throws {
    try keep("session=good; Secure; Path=/")
    try keep(field, from: "http://shop.example/")
    #expect(try sent(to: "https://shop.example/sess") == "session=good")
  }

  @Test(arguments: ["id=x; Path=/app", "id=x; Path=/app; Max-Age=0"])
  func aCookieOfAnotherPathDoesNotOverwriteOneUnderTheSameKey(_ field: String) throws {
    try keep("appid=1; Path=/")
    try keep(field)
    #expect(try sent() == "appid=1")
    // The server can still replace and remove its own.
    try keep("appid=2; Path=/")
    #expect(try sent() == "appid=2")
    try keep("appid=2; Path=/; Max-Age=0")
    #expect(try sent() == nil)
  }

  @Test func theFirstOfTwoInAResponseIsKept() throws {
    try keep("appid=1; Path=/", "id=2; Path=/app")
    #expect(try sent() == "appid=1")
    storage.removeAll()
    try keep("id=2; Path=/app", "appid=1; Path=/")
    #expect(try sent() == "id=2")
  }
}
#endif
