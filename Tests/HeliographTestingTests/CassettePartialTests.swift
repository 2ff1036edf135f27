import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// Exchanges that are cancelled after their head are recorded as far as they were received.
struct CassettePartialTests {
  private let file = FileManager.default.temporaryDirectory.appendingPathComponent("partial-\(UUID().uuidString).json")
  private let stub = StubTransport()

  private func client(_ base: URL? = nil, over next: (any Transport)?) throws -> NetworkClient {
    let transport = try CassetteTransport(file: file, recording: next)
    return NetworkClient(.init(baseURL: base ?? URL(string: "https://api.example.com"), transport: transport))
  }

  private func exchanges() throws -> [JSON] {
    try JSONDecoder().decode([JSON].self, from: Data(contentsOf: file))
  }

  /// The secret of the incomplete event has no end by which it would be recognized.
  @Test func anEventStreamThatTheAppEndsIsReplayed() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let server = try LoopbackServer()
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    let events = "data: {\"n\":1}\n\ndata: {\"n\":2,\"token\":\"hunter2\"}\n\ndata: {\"password\":\"hun"
    server.route("GET", "/news") { _ in .script([.text(head + events), .hold]) }
    let base = server.baseURL
    let recording = SignalRecorder(try client(base, over: URLSessionTransport()).events(request: "/news").take(2))
    await recording.waitForEnd()
    expectEqual(recording.values.map(\.data), ["{\"n\":1}", "{\"n\":2,\"token\":\"hunter2\"}"])
    server.stop()
    let text = try String(contentsOf: file, encoding: .utf8)
    expect(!text.contains("hun"), "\(text)")
    let replaying = try client(base, over: nil)
    let replayed = SignalRecorder(replaying.events(request: "/news").take(2))
    await replayed.waitForEnd()
    expectEqual(replayed.values.map(\.data), ["{\"n\":1}", "{\"n\":2,\"token\":\"redacted-1\"}"])
    expectNil(replayed.failure)
    // Its connection remains open, as the recorded one did.
    let open = SignalRecorder(replaying.events(request: "/news"))
    await open.wait { $0.count == 2 }
    expect(!open.hasEnded)
    open.dispose()
  }

  /// More is dropped than a redirect waits for.
  @Test func aRedirectWhoseBodyIsCutIsReplayed() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let page = Data(count: 70_000)
    stub.on(
      .get, "/start", StubAnswer([.head(status: 302, headers: ["Location": "/end"]), .body(page), .never]))
    stub.on(.get, "/end", .text("end"))
    try await expectEqual(client(over: stub).value(of: "/start", as: String.self), "end")
    try expectEqual(exchanges().map { $0["status"].int }, [302, 200])
    try await expectEqual(client(over: nil).value(of: "/start", as: String.self), "end")
  }

  @Test func anErrorThatAStaleResponseReplacesIsReplayed() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let headers: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "max-age=0, stale-if-error=3600"]
    stub.on(
      .get, "/a", .text("old", headers: headers), StubAnswer([.head(status: 503), .body(Data("busy".utf8)), .never]),
      .text("new"))
    for next in [stub, nil] {
      let transport = try CassetteTransport(file: file, recording: next)
      let kit = TestKit {
        $0.transport = transport
        $0.cachePolicy = .http
      }
      for expected in ["old", "old", "new"] {
        let recorder = SignalRecorder(kit.client.enqueue(request: "/a", resultType: String.self))
        expectEqual(recorder.values.map(\.value), [expected])
      }
    }
    try expectEqual(exchanges().map { $0["status"].int }, [200, 503, 200])
  }

  private let cut = CassettePartialTests.cut("on", "text/plain")

  /// Returns an answer whose body does not end.
  private static func cut(_ body: String, _ type: String) -> StubAnswer {
    StubAnswer([.head(status: 200, headers: ["Content-Type": type]), .body(Data(body.utf8)), .never])
  }

  /// Sends a request and cancels it after the last event of a cut response.
  private func cancel(_ client: NetworkClient, _ request: Request = "/a") {
    client.enqueue(request: request, resultType: String.self).subscribe { _ in }.dispose()
  }

  /// A partial response is not mistaken for a complete one.
  @Test func aPartialResponseFailsAtItsEnd() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.get, "/a", cut)
    try cancel(client(over: stub))
    let replayed = SignalRecorder(try client(over: nil).enqueue(request: "/a", resultType: String.self))
    await replayed.waitForEnd()
    expectEqual(replayed.failure?.code, .unexpectedRequest)
    expect("\(try require(replayed.failure))".contains("partial"))
  }

  @Test func aPartialResponseIsNotReplayedIfTheFileHasTheWholeOne() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.get, "/a", cut, .text("one"))
    let recording = try client(over: stub)
    cancel(recording)
    try await expectEqual(recording.value(of: "/a", as: String.self), "one")
    try expectEqual(exchanges().count, 2)
    try await expectEqual(client(over: nil).value(of: "/a", as: String.self), "one")
  }

  @Test func anExchangeCancelledBeforeItsHeadIsNotRecorded() throws {
    stub.on(.get, "/a", .never)
    try cancel(client(over: stub))
    expectEqual(stub.requests.count, 1)
    expect(!FileManager.default.fileExists(atPath: file.path))
  }

  /// The order of the secrets remains that of their first requests.
  @Test func aPartialResponseThatIsNotReplayedStandsForItsSecret() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.get, "/a", cut, .text("omega's"), .text("alpha's"))
    let recording = try client(over: stub)
    cancel(recording, "/a?token=alpha")
    try await expectEqual(recording.value(of: "/a?token=omega", as: String.self), "omega's")
    try await expectEqual(recording.value(of: "/a?token=alpha", as: String.self), "alpha's")
    let replaying = try client(over: nil)
    try await expectEqual(replaying.value(of: "/a?token=alpha", as: String.self), "alpha's")
    try await expectEqual(replaying.value(of: "/a?token=omega", as: String.self), "omega's")
  }

  /// A token refresh comes between them.
  @Test func aResponseWithAnotherStatusDoesNotReplaceAPartialOne() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.get, "/a", .status(401), cut)
    let recording = try client(over: stub)
    let rejected = SignalRecorder(recording.enqueue(request: "/a", resultType: String.self))
    await rejected.waitForEnd()
    expectEqual(rejected.failure?.response?.statusCode, 401)
    cancel(recording)
    let replaying = try client(over: nil)
    for expected in [rejected.failure?.code, .unexpectedRequest] {
      let replayed = SignalRecorder(replaying.enqueue(request: "/a", resultType: String.self))
      await replayed.waitForEnd()
      expectEqual(replayed.failure?.code, expected)
    }
  }

  /// Each event stream is a connection of its own, also if an earlier one has ended.
  @Test func everyEventStreamIsReplayed() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let type = "text/event-stream"
    stub.on(
      .post, "/a", .data(Data("data: {\"n\":1}\n\n".utf8), contentType: type),
      CassettePartialTests.cut("data: {\"n\":2}\n\n", type))
    for next in [stub, nil] {
      let client = try client(over: next)
      // A POST does not reconnect, so it completes.
      let first = SignalRecorder(client.events(request: Request(.post, "/a")))
      await first.waitForEnd()
      let second = SignalRecorder(client.events(request: Request(.post, "/a")).take(1))
      await second.waitForEnd()
      expectEqual((first.values + second.values).map(\.data), ["{\"n\":1}", "{\"n\":2}"])
      if next != nil { try expectEqual(exchanges().map { $0["isPartial"].bool }, [nil, true]) }
    }
  }

  /// Nothing happened on it while it was recorded, either.
  @Test func anEventStreamWithoutEventsRemainsOpen() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.get, "/a", CassettePartialTests.cut("", "text/event-stream"))
    try cancel(client(over: stub))
    let replayed = SignalRecorder(try client(over: nil).exchange(request: "/a"))
    expect(!replayed.hasEnded)
    replayed.dispose()
  }

  @Test func aPartialResponseIsRecordedOnce() throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.get, "/a", cut)
    for _ in 1...3 { try cancel(client(over: stub)) }
    expectEqual(stub.requests.count, 3)
    try expectEqual(exchanges().count, 1)
  }

  /// It would never end: the consumer that cancelled the recorded one had read an incomplete event.
  @Test func aPartialEventStreamWithoutAnEventFails() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.get, "/a", CassettePartialTests.cut("data: {\"n\":", "text/event-stream"))
    try cancel(client(over: stub))
    let replayed = SignalRecorder(try client(over: nil).exchange(request: "/a"))
    await replayed.waitForEnd()
    expectEqual(replayed.failure?.code, .unexpectedRequest)
  }

  @Test func aRecordingTransportSendsARequestWhoseResponseIsPartial() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.get, "/a", cut, .text("one"))
    try cancel(client(over: stub))
    try await expectEqual(client(over: stub).value(of: "/a", as: String.self), "one")
    expectEqual(stub.requests.count, 2)
    for next in [stub, nil] {
      try await expectEqual(client(over: next).value(of: "/a", as: String.self), "one")
    }
    expectEqual(stub.requests.count, 2)
  }

  /// The name that makes a value a secret may not have been received.
  @Test(arguments: [
    (#"[{"value":"hunter2","na"#, "application/json", ""),
    ("value=hunter2&na", "application/x-www-form-urlencoded", ""),
    ("<p>hunter2 is the", "text/html", ""), ("hunter2\nis the", "text/plain", ""),
    ("{\"n\":1}\n{\"value\":\"hunter2\",\"na", "application/x-ndjson", "{\"n\":1}\n"),
    ("{\n\"value\":\"hunter2\",\n\"na", "application/json", ""), (#"{"n":1}"#, "application/json", #"{"n":1}"#),
  ])
  func aCutBodyIsRecordedAsFarAsItsSecretsAreRecognized(_ body: String, _ type: String, _ recorded: String) throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.get, "/a", CassettePartialTests.cut(body, type))
    try cancel(client(over: stub))
    try expectEqual(exchanges().map { $0["text"].string }, [recorded])
  }

  /// A transport whose signal completes and then lets a test cancel it, before the next signal of a chain starts.
  private struct Completing: Transport {
    let completed = PublishSubject<Bool, NetworkError>()

    func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
      Signal { [completed] observer in
        observer.send(.head(HTTPResponse(statusCode: 200, url: request.url)))
        observer.send(.body(Data("one".utf8)))
        observer.complete()
        completed.send(true)
        return nil
      }
    }
  }

  @Test func anExchangeCancelledAfterItsLastEventIsRecordedAsComplete() throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let transport = Completing()
    let request = HTTPRequest(url: try require(URL(string: "https://api.example.com/a")))
    let events = try CassetteTransport(file: file, recording: transport).send(request)
    let recorder = SignalRecorder(events.take(until: transport.completed.signal))
    expect(!recorder.values.isEmpty)
    try expectEqual(exchanges().map { $0["isPartial"].bool }, [nil])
    try expectEqual(exchanges().map { $0["text"].string }, ["one"])
  }
}
