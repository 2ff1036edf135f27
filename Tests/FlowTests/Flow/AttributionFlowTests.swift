import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// By whose fault requests fail, over real sockets.
struct AttributionFlowTests {
  let server: LoopbackServer
  let other: LoopbackServer
  let reachability = ManualReachability()

  init() throws {
    server = try LoopbackServer()
    other = try LoopbackServer()
    other.route("GET", "/") { _ in .json("1") }
    server.route("GET", "/reset") { _ in .script([.reset]) }
    server.route("GET", "/silent") { _ in .script([.hold]) }
    server.route("GET", "/half") { _ in
      .script([.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .close])
    }
    server.route("GET", "/stalled") { _ in
      .script([.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .hold])
    }
  }

  // Over libcurl, if asked, also where it is not the default.
  private func client(overCurl: Bool = false) throws -> NetworkClient {
    // An address of this machine that is none by its looks, so that the network matters; on Linux.
    var configuration = NetworkClient.Configuration(baseURL: URL(string: "http://0.0.0.0:\(server.port)"))
    configuration.allowsInsecureHTTP = true
    if overCurl { configuration.transport = try CurlTransport() }
    configuration.reachability = reachability
    // So that what is remembered of hosts does not age while the machine is busy.
    configuration.scheduler = VirtualScheduler()
    return NetworkClient(configuration)
  }

  private func failure(_ client: NetworkClient, _ request: some RequestConvertible) async throws -> NetworkError {
    let recorder = SignalRecorder(client.enqueue(request: request, resultType: Int.self))
    await recorder.waitForEnd()
    return try require(recorder.failure)
  }

  /// A port on which nobody listens.
  private func closedPort(of host: String = "127.0.0.1") throws -> URL {
    try require(URL(string: "http://\(host):\(LoopbackSocket.closedPort())/"))
  }

  private func askTheOther(_ client: NetworkClient) async {
    let recorder = SignalRecorder(client.enqueue(request: "http://0.0.0.0:\(other.port)/", resultType: Int.self))
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.value), [1])
  }

  @Test("S1-6 S1-10 P6") func refusedAloneIsUndetermined() async throws {
    let error = try await failure(try client(), try closedPort())
    expectEqual(error.code, .cannotConnect)
    expectNil(error.statusCode)
    expectEqual(error.attribution.party, .undetermined)
    expectEqual(error.attribution.evidence?.otherHosts, .unknown)
    // To get to 127.0.0.1, no network is needed.
    expectEqual(error.attribution.evidence?.reachabilityBefore, .unknown)
  }

  @Test("S1-10 P6") func refusedWhileAnotherAnswersIsTheServer() async throws {
    let client = try client()
    await askTheOther(client)
    let error = try await failure(client, try closedPort(of: "0.0.0.0"))
    expectEqual(error.attribution.party, .server)
    expectEqual(error.attribution.evidence?.otherHosts, .answered)
    expectEqual(error.attribution.evidence?.phase, .connecting)
  }

  @Test("P6") func halfAnAnswerOfAnotherIsAnAnswer() async throws {
    let client = try client()
    _ = try await failure(client, Request(.get, "/half"))
    let error = try await failure(client, try closedPort())
    expectEqual(error.attribution.party, .server)
    expectEqual(error.attribution.evidence?.otherHosts, .answered)
  }

  @Test("S1-10 P6") func whoRedirectsToAPortThatRefusesHasAnswered() async throws {
    let (gone, refusing) = (try closedPort(), try closedPort())
    server.route("GET", "/moved") { _ in .redirect(to: refusing.absoluteString) }
    let client = try client()
    _ = try await failure(client, Request(.get, gone))
    let error = try await failure(client, Request(.get, "/moved"))
    expectEqual(error.code, .cannotConnect)
    expectEqual(error.request?.url.absoluteString, refusing.absoluteString)
    expectEqual(error.attribution.evidence?.otherHosts, .answered)
    expectEqual(error.attribution.party, .server)
  }

  @Test("P6") func bothEndsOfARedirectHaveAnswered() async throws {
    let host = "http://0.0.0.0:\(other.port)"
    server.route("GET", "/away") { _ in .redirect(to: host + "/") }
    other.route("GET", "/reset") { _ in .script([.reset]) }
    let client = try client()
    let recorder = SignalRecorder(client.enqueue(request: "/away", resultType: Int.self))
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.value), [1])
    let first = try await failure(client, Request(.get, "/reset"))
    expectEqual(first.attribution.evidence?.otherHosts, .answered)
    // The other has failed since it answered.
    let last = try await failure(client, Request(.get, "\(raw: host)/reset"))
    expectEqual(last.attribution.evidence?.otherHosts, .unknown)
  }

  private struct Moving: Middleware {
    let target: URL

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      var request = request
      request.url = target
      return next(request)
    }
  }

  /// The port to which a request was built has not been asked.
  @Test("P6", arguments: TransportKind.present) func whereMiddlewareHasMovedARequestIsWhoAnswers(
    _ kind: TransportKind
  ) async throws {
    let moved = try LoopbackServer()
    moved.route("GET", "/b") { _ in .json("1").closing() }
    let target = moved.url("/b")
    var configuration = try client().configuration
    configuration.transport = try kind.transport()
    configuration.middleware = [Moving(target: target)]
    configuration.trustedOrigins = [try require(Origin(target))]
    let moving = NetworkClient(configuration)
    let recorder = SignalRecorder(moving.enqueue(request: "/a", resultType: Int.self))
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.value), [1])
    try moved.stopForGood()
    let error = try await failure(moving, Request(.get, "/a"))
    expectEqual(error.domain, .network)
    expectEqual(error.request?.url.absoluteString, target.absoluteString)
    expectEqual(error.attribution.evidence?.otherHosts, .unknown)
    expect(server.log.requests.isEmpty)
  }

  @Test("S1-10 P6") func refusedWhileOthersFailTooIsThePath() async throws {
    let client = try client()
    for _ in 0..<2 {
      let alone = try await failure(client, try closedPort(of: "127.0.0.1"))
      expectEqual(alone.attribution.party, .undetermined, "another port is the same host")
    }
    let error = try await failure(client, try closedPort(of: "localhost"))
    expectEqual(error.attribution.party, .path)
    expectEqual(error.attribution.evidence?.otherHosts, .failed)
  }

  @Test("S1-6 S1-10 P6") func acceptedAndThenResetWhileAnotherAnswersIsTheServer() async throws {
    let client = try client()
    await askTheOther(client)
    let error = try await failure(client, Request(.get, "/reset"))
    expectEqual(error.code, .connectionLost)
    expectEqual(error.attribution.party, .server)
    expectNil(error.statusCode)
  }

  @Test("S1-10", arguments: ["/reset", "/half"]) func brokenOffAloneIsUndetermined(_ path: String) async throws {
    let error = try await failure(try client(), Request(.get, RequestPath(path)))
    expectEqual(error.attribution.party, .undetermined)
    expectEqual(error.attribution.evidence?.otherHosts, .unknown)
  }

  @Test("S1-10 P6", .enabled(if: CurlTransport.isAvailable)) func silenceAfterTheRequestIsTheServer() async throws {
    let request = Request(.get, "/silent", options: .with { $0.idleTimeout = .milliseconds(200) })
    let error = try await failure(try client(overCurl: true), request)
    expectEqual(error.code, .timedOut)
    expectEqual(error.attribution.party, .server)
    expectEqual(error.attribution.evidence?.phase, .awaitingResponse)
    expect((error.attribution.evidence?.sentByteCount ?? 0) > 0)
    expectEqual(error.attribution.evidence?.receivedByteCount, 0)
    let unknown = NetworkError(.timedOut)
    expect(error.message != unknown.message)
  }

  /// Bodies whose length is not known at the end: a stream without one, and a file that has been removed meanwhile.
  @Test("S1-10 P6", arguments: TransportKind.present, [true, false])
  func silenceAfterABodyOfUnknownLengthIsTheServer(_ kind: TransportKind, _ isStream: Bool) async throws {
    let stream = BodyStream { BodyStream.pieces(of: [Data("two ".utf8), Data("pieces".utf8)]) }
    var configuration = try client().configuration
    configuration.transport = try kind.transport()
    let client = NetworkClient(configuration)
    // Alone, and then on a network that seems to have failed.
    for _ in 0..<2 {
      try await expectInARound {
        // Each round has a file of its own, as a request of an earlier one may arrive late.
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let path = "/silent/\(file.lastPathComponent)"
        server.route("POST", path) { _ in
          try? FileManager.default.removeItem(at: file)
          return .script([.hold])
        }
        if !isStream { try Data("two pieces".utf8).write(to: file) }
        let request = Request(
          .post, RequestPath(path),
          body: isStream ? .stream(stream, contentType: "a/b") : .file(file, contentType: "a/b"),
          options: .with { $0.idleTimeout = .milliseconds(300) })
        let error = try await failure(client, request)
        expectEqual(error.code, .timedOut)
        // On a busy machine the time may be over before all of it has arrived.
        guard error.attribution.evidence?.phase == .awaitingResponse,
          server.log.requests(to: path).first?.body == Data("two pieces".utf8)
        else { return false }
        expectEqual(error.attribution.party, .server, "\(error)")
        return true
      }
      // Another spelling of this machine.
      _ = try await failure(client, try closedPort(of: "127.1"))
    }
  }

  @Test("S1-10", .enabled(if: CurlTransport.isAvailable && FullListener.isPossible))
  func silenceBeforeAConnectionIsUndetermined() async throws {
    let listener = try require(FullListener())
    let url = try require(URL(string: "http://127.0.0.1:\(listener.port)/"))
    let request = Request(.get, RequestPath(url.absoluteString), options: .with { $0.idleTimeout = .milliseconds(200) })
    let error = try await failure(try client(overCurl: true), request)
    expectEqual(error.code, .timedOut)
    expectEqual(error.attribution.party, .undetermined)
    expect((error.attribution.evidence?.phase ?? .receiving) < .sending)
  }

  /// The server takes the head and no more of the body than the buffers of two sockets hold.
  @Test("S1-10 P6", .enabled(if: CurlTransport.isAvailable)) func silenceWithinTheRequestIsUndetermined() async throws {
    let silent = try EarlyServer("", reads: false)
    let body = RequestBody.data(Data(count: 64 << 20), contentType: "a/b")
    let request = Request(
      .post, RequestPath(try require(silent.url).absoluteString), body: body,
      options: .with { $0.idleTimeout = .milliseconds(300) })
    let error = try await failure(try client(overCurl: true), request)
    expectEqual(error.code, .timedOut)
    expectEqual(error.attribution.evidence?.phase, .sending)
    expect((error.attribution.evidence?.sentByteCount ?? 0) > 0)
    expectEqual(error.attribution.party, .undetermined)
  }

  /// The server waits for a line, which no handshake has; from 7.88 on libcurl says only that there is no connection.
  @Test("S1-10 P6", .enabled(if: CurlTransport.isAvailable))
  func silenceWithinTheHandshakeIsUndetermined() async throws {
    let silent = try EarlyServer("", reads: false)
    let url = try require(silent.url).absoluteString.replacingOccurrences(of: "http:", with: "https:")
    let request = Request(.get, RequestPath(url), options: .with { $0.idleTimeout = .milliseconds(300) })
    let error = try await failure(try client(overCurl: true), request)
    expectEqual(error.code, .timedOut)
    expect([.connecting, .tlsHandshake].contains(error.attribution.evidence?.phase), "\(error.attribution)")
    expectEqual(error.attribution.party, .undetermined)
  }

  @Test("P6") func halfABodyWhileAnotherAnswersIsTheServer() async throws {
    let client = try client()
    await askTheOther(client)
    let error = try await failure(client, Request(.get, "/half"))
    expectEqual(error.domain, .network)
    // URLSession on Linux does not say what has happened: its code is -1.
    if error.code != .unknown { expectEqual(error.attribution.party, .server) }
    expectEqual(error.attribution.evidence?.phase, .receiving)
    expectEqual(error.response?.value, Data("half".utf8))
  }

  @Test("P6") func whatStopsInTheMiddleIsTheServer() async throws {
    let request = Request(.get, "/stalled", options: .with { $0.idleTimeout = .milliseconds(200) })
    let error = try await failure(try client(), request)
    expectEqual(error.code, .timedOut)
    // URLSession's timeout comes without a word of how far it was.
    if CurlTransport.isAvailable { expectEqual(error.attribution.party, .server) }
  }

  @Test("S1-10") func aNetworkThatIsGoneByThenIsTheClient() async throws {
    server.route("GET", "/gone") { [reachability] _ in
      reachability.set(.unreachable)
      return .script([.reset])
    }
    let error = try await failure(try client(), Request(.get, "/gone"))
    expectEqual(error.domain, .network)
    expectEqual(error.attribution.party, .client)
    expectEqual(error.attribution.evidence?.reachabilityBefore, .reachable)
    expectEqual(error.attribution.evidence?.reachabilityAfter, .unreachable)
  }

  @Test("S2-12 S4-9 T14 S3-6") func withoutANetworkNothingIsSentAndThePersonIsToldOnce() async throws {
    let stub = StubTransport()
    var configuration = NetworkClient.Configuration(transport: stub)
    configuration.reachability = reachability
    configuration.processing = .immediate
    let presenter = ErrorPresenter()
    configuration.monitors = [presenter]
    let toasts = SignalRecorder(presenter.toasts)
    reachability.set(.unreachable)
    let recorder = SignalRecorder(
      NetworkClient(configuration).enqueue(request: "https://a.example/", resultType: Int.self))
    // At once, before `subscribe` has returned.
    let error = try require(recorder.failure)
    expectEqual(error.code, .unreachable)
    expectEqual(error.attribution.party, .client)
    expectEqual(error.message(in: .simplifiedChinese), "无法连接到网络")
    expect(stub.requests.isEmpty)
    expectEqual(toasts.values.count, 1)
    expectEqual(toasts.values.first?.text, error.message)
    reachability.set(.unknown)
    stub.on(.get, "/", .json("1"))
    let second = SignalRecorder(
      NetworkClient(configuration).enqueue(request: "https://a.example/", resultType: Int.self))
    await second.waitForEnd()
    expectEqual(second.values.map(\.value), [1])
  }

  /// These answers come before `subscribe` returns, and go on after what is refused.
  @Test("P6") func anAnswerThatIsRefusedDoesNotSpeakAgainstItsHost() throws {
    let stub = StubTransport()
    stub.on(.get, "/away", .json("{}", status: 302, headers: ["Location": "http://b.example/"]))
    stub.on(.get, "/long", .json(#""\#(String(repeating: "a", count: 100))""#))
    stub.on(.get, "/lost", .failure(NetworkError(.connectionLost)))
    for path in ["/away", "/long"] {
      var configuration = NetworkClient.Configuration(transport: stub)
      configuration.limits.bodyByteCount = 50
      let client = NetworkClient(configuration)
      let refused = SignalRecorder(client.exchange(request: Request(.get, "https://a.example\(raw: path)")))
      expectEqual(refused.failure?.code, (path == "/away" ? .insecureRedirect : .responseTooLarge))
      let lost = SignalRecorder(client.exchange(request: Request(.get, "https://c.example/lost")))
      let others = try require(lost.failure?.attribution.evidence?.otherHosts)
      expectEqual(others, (path == "/away" ? .unknown : .answered))
    }
  }
}
