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

  private let cut = StubAnswer([
    .head(status: 200, headers: ["Content-Type": "text/plain"]), .body(Data("on".utf8)), .never,
  ])

  /// It is not taken for the whole one.
  @Test func aPartialResponseFailsAtItsEnd() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.get, "/a", cut)
    try client(over: stub).enqueue(request: "/a", resultType: String.self).subscribe { _ in }.dispose()
    let replayed = SignalRecorder(try client(over: nil).enqueue(request: "/a", resultType: String.self))
    await replayed.waitForEnd()
    expectEqual(replayed.failure?.code, .unexpectedRequest)
    expect("\(try require(replayed.failure))".contains("partial"))
  }

  @Test func aPartialResponseIsNotReplayedIfTheFileHasTheWholeOne() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.get, "/a", cut, .text("one"))
    let recording = try client(over: stub)
    recording.enqueue(request: "/a", resultType: String.self).subscribe { _ in }.dispose()
    try await expectEqual(recording.value(of: "/a", as: String.self), "one")
    try expectEqual(exchanges().count, 2)
    try await expectEqual(client(over: nil).value(of: "/a", as: String.self), "one")
  }

  @Test func anExchangeCancelledBeforeItsHeadIsNotRecorded() throws {
    stub.on(.get, "/a", .never)
    try client(over: stub).enqueue(request: "/a", resultType: String.self).subscribe { _ in }.dispose()
    expectEqual(stub.requests.count, 1)
    expect(!FileManager.default.fileExists(atPath: file.path))
  }
}
