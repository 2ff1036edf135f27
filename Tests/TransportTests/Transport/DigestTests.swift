import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

/// Digest authentication over both transports, with a server that checks each answer.
struct DigestTests {
  let server: LoopbackServer
  let origin: Origin

  init() throws {
    server = try LoopbackServer()
    origin = try require(Origin(server.baseURL))
  }

  /// Asks for an answer to a nonce, and takes each count of it once.
  private func protect(_ method: String = "GET", _ algorithm: String = "SHA-256", password: String = "sesame") {
    let counts = Guarded<Set<String>>([])
    server.route(HTTPMethod(rawValue: method), "/secret") { request in
      let answer = Self.answer(of: request)
      let challenge = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=\(algorithm), opaque=\"o\""
      guard let answer else { return Self.refusal(challenge) }
      let hash = { (parts: String...) in
        let message = Array(parts.joined(separator: ":").utf8)
        return algorithm == "MD5" ? MD5.hash(message).hexadecimal : SHA256.hash(message).hexadecimal
      }
      let (count, own) = (answer["nc"] ?? "", answer["cnonce"] ?? "")
      let expected = hash(hash("ada", "r", password), "n", count, own, "auth", hash(method, request.target))
      let isNew = counts.withLock { $0.insert(count).inserted }
      guard answer["response"] == expected, answer["uri"] == request.target, answer["opaque"] == "o", isNew else {
        return Self.refusal(challenge)
      }
      return .text("hello \(count) \(request.body.count)")
    }
  }

  private static func answer(of request: LoopbackRequest) -> [String: String]? {
    request.header("Authorization").map { AuthenticationChallenge.parameters(in: String($0.dropFirst(7))) }
  }

  private static func refusal(_ challenge: String) -> LoopbackResponse {
    .text("who is it?", status: 401).header("WWW-Authenticate", challenge)
  }

  private func transport(
    _ kind: TransportKind, origins: Set<Origin>? = nil,
    _ credentials: (user: String, password: String) = ("ada", "sesame")
  ) throws -> DigestTransport {
    DigestTransport(try kind.transport(), origins: origins ?? [origin]) { credentials }
  }

  private func record(
    _ transport: any Transport, _ request: HTTPRequest
  ) async -> SignalRecorder<TransportEvent, NetworkError> {
    let recorder = SignalRecorder(transport.send(request))
    await recorder.waitForEnd()
    expect(recorder.violations.isEmpty)
    return recorder
  }

  private func text(_ transport: any Transport, _ request: HTTPRequest) async -> String {
    String(decoding: await record(transport, request).values.body, as: UTF8.self)
  }

  @Test(arguments: TransportKind.present, ["MD5", "SHA-256"])
  func aChallengeIsAnswered(_ kind: TransportKind, _ algorithm: String) async throws {
    protect("GET", algorithm)
    let transport = try transport(kind)
    let first = await record(transport, HTTPRequest(url: server.url("/secret?a=b%20c")))
    expect(first.isCompleted, "\(first.events)")
    expectEqual(first.values.compactMap { if case .head(let head) = $0 { head.statusCode } else { nil } }, [200])
    expectEqual(first.values.body, Data("hello 00000001 0".utf8))
    expectEqual(server.log.requests.count, 2)
    // From then on without asking, each with a count of its own.
    for count in 2...4 {
      await expectEqual(text(transport, HTTPRequest(url: server.url("/secret"))), "hello 0000000\(count) 0")
    }
    expectEqual(server.log.requests.count, 5)
  }

  @Test(.enabled(if: CurlTransport.isAvailable)) func theAnswerUsesTheConnectionOfTheChallenge() async throws {
    try await expectInARound {
      protect()
      let (transport, acceptedCount) = (try transport(.curl), server.log.acceptedCount)
      for count in 1...4 {
        await expectEqual(text(transport, HTTPRequest(url: server.url("/secret"))), "hello 0000000\(count) 0")
      }
      // A busy client may stop waiting for the end of the challenge's response, and close its connection.
      return server.log.acceptedCount == acceptedCount + 1
    }
  }

  @Test(arguments: TransportKind.present) func aBodyIsSentAgain(_ kind: TransportKind) async throws {
    protect("POST")
    let data = Data(repeating: 7, count: 200_000)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try data.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let transport = try transport(kind)
    let stream = BodyStream(byteCount: data.count) {
      BodyStream.pieces(of: [data.prefix(100_000), data.dropFirst(100_000)])
    }
    for body in [HTTPBody.data(data), .file(file), .stream(stream)] {
      let text = await text(transport, HTTPRequest(method: .post, url: server.url("/secret"), body: body))
      expect(text.hasSuffix(" 200000"))
    }
  }

  /// Its 401 is delivered, and the challenge serves the next request.
  @Test(arguments: TransportKind.present)
  func aBodyThatCanBeReadOnceIsNotSentAgain(_ kind: TransportKind) async throws {
    protect("PUT")
    protect("GET")
    let transport = try transport(kind)
    func body() -> BodyStream {
      let (stream, input) = AsyncStream.makeStream(of: Data.self)
      input.yield(Data("piece".utf8))
      input.finish()
      return BodyStream(readingOnce: stream)
    }
    var configuration = NetworkClient.Configuration(baseURL: server.baseURL, transport: transport)
    configuration.retry = Retry(limit: 1, backoff: .none)
    let client = NetworkClient(configuration)
    for isFirst in [true, false] {
      let put = Request(.put, "/secret", body: .stream(body(), contentType: "a/b"))
      let recorder = SignalRecorder(client.enqueue(request: put, resultType: String.self))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, isFirst ? .status(401) : nil, "\(recorder.events)")
      expectEqual(recorder.values.map(\.value), isFirst ? [] : ["hello 00000001 5"])
    }
    expectEqual(server.log.requests.count, 2)
  }

  @Test(arguments: TransportKind.present) func aRefusedAnswerIsDelivered(_ kind: TransportKind) async throws {
    protect(password: "other")
    let recorder = await record(try transport(kind), HTTPRequest(url: server.url("/secret")))
    expectEqual(recorder.values.head?.statusCode, 401)
    expectEqual(recorder.values.body, Data("who is it?".utf8))
    expectEqual(server.log.requests.count, 2)
  }

  /// A device may lock the account after a few failed logins; most servers send a new nonce each time.
  @Test func aRefusedPasswordIsOneFailedLoginForEachRequest() async throws {
    server.route("GET", "/secret") { _ in Self.refusal("Digest realm=\"r\", nonce=\"\(UUID())\", qop=\"auth\"") }
    let transport = try transport(.default)
    for number in 1...3 {
      let recorder = await record(transport, HTTPRequest(url: server.url("/secret")))
      expectEqual(recorder.values.head?.statusCode, 401)
      expectEqual(server.log.requests.count { $0.header("Authorization") != nil }, number)
    }
  }

  @Test(arguments: TransportKind.present) func aStaleNonceIsReplaced(_ kind: TransportKind) async throws {
    let nonces = Guarded(0)
    server.route("GET", "/secret") { request in
      let answer = Self.answer(of: request)
      let number = nonces.withLock { $0 }
      if answer?["nonce"] == "n\(number)" { return .text("\(answer?["nonce"] ?? "") \(answer?["nc"] ?? "")") }
      let stale = answer == nil ? "" : ", stale=true"
      return Self.refusal("Digest realm=\"r\", nonce=\"n\(number)\", qop=\"auth\"\(stale)")
    }
    let transport = try transport(kind)
    let request = HTTPRequest(url: server.url("/secret"))
    await expectEqual(text(transport, request), "n0 00000001")
    await expectEqual(text(transport, request), "n0 00000002")
    nonces.withLock { $0 = 1 }
    await expectEqual(text(transport, request), "n1 00000001")
    await expectEqual(text(transport, request), "n1 00000002")
    expectEqual(server.log.requests.count, 6)
    // Also where it becomes stale each time there is an end.
    server.route("GET", "/secret") { _ in
      let number = nonces.withLock { nonces -> Int in
        nonces += 1
        return nonces
      }
      return Self.refusal("Digest realm=\"r\", nonce=\"n\(number)\", qop=\"auth\", stale=true")
    }
    await expectEqual(record(transport, request).values.head?.statusCode, 401)
    expectEqual(server.log.requests.count, 9)
  }

  @Test func theServerMayNameTheNextNonce() async throws {
    server.route("GET", "/secret") { request in
      let answer = Self.answer(of: request)
      guard let nonce = answer?["nonce"] else { return Self.refusal("Digest realm=\"r\", nonce=\"n\", qop=\"auth\"") }
      return .text("\(nonce) \(answer?["nc"] ?? "")").header("Authentication-Info", "nextnonce=\"\(nonce)+\", qop=auth")
    }
    let transport = DigestTransport(URLSessionTransport(), origins: [origin]) {
      (user: "ada", password: "sesame")
    }
    for nonce in ["n", "n+", "n++"] {
      await expectEqual(text(transport, HTTPRequest(url: server.url("/secret"))), "\(nonce) 00000001")
    }
    let requests = server.log.requests(to: "/secret")
    expectEqual(requests.map { Self.answer(of: $0)?["nonce"] ?? "" }, ["", "n", "n+", "n++"], "\(server.log.requests)")
  }

  // MARK: What is left alone

  @Test(arguments: TransportKind.present) func credentialsGoToTheirOriginsOnly(_ kind: TransportKind) async throws {
    protect()
    let other = try LoopbackServer()
    other.route("GET", "/secret") { _ in Self.refusal("Digest realm=\"r\", nonce=\"n\", qop=\"auth\"") }
    let transport = try transport(kind, origins: [try require(Origin(other.baseURL))])
    let recorder = await record(transport, HTTPRequest(url: server.url("/secret")))
    expectEqual(recorder.values.head?.statusCode, 401)
    expectEqual(server.log.requests.count, 1)
    expectNil(server.log.requests.first?.header("Authorization"))
    // Nor by a redirect.
    other.route("GET", "/away") { [url = server.url("/secret")] _ in
      .status(302).header("Location", url.absoluteString)
    }
    var configuration = NetworkClient.Configuration.open(transport)
    configuration.trustedOrigins = [origin]
    let redirected = SignalRecorder(NetworkClient(configuration).exchange(request: other.url("/away")))
    await redirected.waitForEnd()
    expect(redirected.values.first?.statusCode == 401 || redirected.failure?.statusCode == 401)
    expect(server.log.requests.allSatisfy { $0.header("Authorization") == nil })
  }

  @Test func anAuthorizationOfTheRequestsOwnStays() async throws {
    protect()
    let request = HTTPRequest(url: server.url("/secret"), headers: ["Authorization": "Bearer a"])
    let recorder = await record(try transport(.urlSession), request)
    expectEqual(recorder.values.head?.statusCode, 401)
    expectEqual(server.log.requests.map { $0.header("Authorization") }, ["Bearer a"])
  }

  @Test func withoutCredentialsNothingIsAnswered() async throws {
    protect()
    let credentials = Guarded<(user: String, password: String)?>(nil)
    let transport = DigestTransport(URLSessionTransport(), origins: [origin]) { credentials.withLock { $0 } }
    let request = HTTPRequest(url: server.url("/secret"))
    await expectEqual(record(transport, request).values.head?.statusCode, 401)
    let ada = (user: "ada", password: "sesame")
    credentials.withLock { $0 = ada }
    await expectEqual(text(transport, request), "hello 00000001 0")
    // Signed out.
    credentials.withLock { $0 = nil }
    await expectEqual(record(transport, request).values.head?.statusCode, 401)
    expectNil(server.log.requests.last?.header("Authorization"))
  }

  @Test func invalidCredentialsFailTheRequestAndNothingIsSent() {
    let stub = StubTransport()
    for pair in [(user: "a:b", password: ""), (user: "ada", password: "a\nb")] {
      let transport = DigestTransport(stub, origins: [origin]) { pair }
      let recorder = SignalRecorder(transport.send(HTTPRequest(url: server.url("/secret"))))
      expectEqual(recorder.failure?.code, .invalidCredentials)
    }
    expect(stub.requests.isEmpty)
  }

  // MARK: Ends

  @Test(arguments: TransportKind.present) func aBodyWithoutAnEndIsNotWaitedFor(_ kind: TransportKind) async throws {
    let isFirst = Guarded(true)
    server.route("GET", "/secret") { request in
      guard isFirst.withLock({ $0.exchange(false) }) else { return .text("hello") }
      let head = "HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\"\r\n"
      return .script([.text(head + "Content-Length: 10\r\n\r\nabc"), .hold])
    }
    await expectEqual(text(try transport(kind), HTTPRequest(url: server.url("/secret"))), "hello")
  }

  @Test func disposingEndsTheExchangeInFlight() async throws {
    server.route("GET", "/secret") { request in
      request.header("Authorization") == nil
        ? Self.refusal("Digest realm=\"r\", nonce=\"n\", qop=\"auth\"") : .never
    }
    let request = HTTPRequest(url: server.url("/secret"), idleTimeout: .seconds(3_600))
    let recorder = SignalRecorder(try transport(.urlSession).send(request))
    await expect(server.wait { $0.requests.count == 2 })
    recorder.dispose()
    await expect(server.wait { $0.openConnectionCount == 0 })
    expect(!recorder.hasEnded)
    expect(recorder.values.isEmpty)
  }

  @Test func theTotalTimeoutCoversBoth() async throws {
    server.route("GET", "/secret") { request in
      request.header("Authorization") == nil
        ? Self.refusal("Digest realm=\"r\", nonce=\"n\", qop=\"auth\"").delayed(by: .milliseconds(200)) : .never
    }
    let request = HTTPRequest(url: server.url("/secret"), totalTimeout: .milliseconds(400))
    try await expectInARound {
      let (count, start) = (server.log.requests.count, ContinuousClock.now)
      let endedAt = Guarded(start)
      let recorder = SignalRecorder(
        try transport(.urlSession).send(request).on(failure: { _ in endedAt.withLock { $0 = .now } }))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, .timedOut)
      // With a timeout of its own the second exchange would end after 600 milliseconds.
      return server.log.requests.count == count + 2 && endedAt.withLock { $0 } - start < .milliseconds(600)
    }
  }

  @Test(arguments: TransportKind.present) func manyAtOnceAreAllAnswered(_ kind: TransportKind) async throws {
    protect()
    let transport = try transport(kind)
    let recorders = (0..<40).map { _ in SignalRecorder(transport.send(HTTPRequest(url: server.url("/secret")))) }
    for recorder in recorders {
      await recorder.waitForEnd()
      expectEqual(recorder.values.head?.statusCode, 200)
    }
  }

  @Test("P13") func noDescriptionShowsNameOrPassword() throws {
    let credentials = Secret(try Authorization.checked(user: "ada", password: "hunter2"))
    let transport = DigestTransport(StubTransport(), origins: [origin]) { (user: "ada", password: "hunter2") }
    for secret in ["hunter2", "ada"] {
      expectHidden(secret, in: credentials)
      expectHidden(secret, in: transport)
    }
  }

  @Test func itUsesTheNetworkIfItsTransportDoes() throws {
    try expect(transport(.urlSession).usesNetwork)
    expect(!DigestTransport(StubTransport(), origins: [origin]) { nil }.usesNetwork)
  }

  // MARK: A real server

  @Test(.enabled(if: ApacheServer.isAvailable), arguments: TransportKind.present)
  func apacheTakesTheAnswers(_ kind: TransportKind) async throws {
    let apache = try await ApacheServer(upstream: server)
    let url = try require(URL(string: apache.origin(isSecure: false) + "/digest"))
    let origin = try require(Origin(url))
    let transport = try transport(kind, origins: [origin])
    let request = HTTPRequest(url: url)
    for round in 0..<3 {
      await expectEqual(text(transport, request), "well")
      // sleeps: the nonce becomes stale by Apache's clock.
      if round == 1 { try await Task.sleep(for: .milliseconds(2100)) }
    }
    let stranger = try self.transport(
      kind, origins: [origin], (user: "ada", password: "simsalabim"))
    await expectEqual(record(stranger, request).values.head?.statusCode, 401)
  }
}

extension Bool {
  fileprivate mutating func exchange(_ value: Bool) -> Bool {
    defer { self = value }
    return self
  }
}
