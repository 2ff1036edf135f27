import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Lines and newline-delimited JSON over each transport.
struct LinesTests {
  private struct Order: Codable, Sendable, Equatable {
    let id: Int
    var shippedAt: Date?
  }

  private let server: LoopbackServer

  init() throws { server = try LoopbackServer() }

  private func client(
    _ kind: TransportKind, _ adjust: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) throws -> NetworkClient {
    var configuration = NetworkClient.Configuration.open(try kind.transport())
    configuration.baseURL = server.baseURL
    adjust(&configuration)
    return NetworkClient(configuration)
  }

  private func answer(_ pieces: String..., status: Int = 200) {
    server.route("*", "/lines") { _ in .chunked(pieces.map { Data($0.utf8) }, every: .milliseconds(2)) }
  }

  private func end<Value>(_ signal: Signal<Value, NetworkError>) async -> SignalRecorder<Value, NetworkError> {
    let recorder = SignalRecorder(signal)
    await recorder.waitForEnd()
    expect(recorder.violations.isEmpty)
    return recorder
  }

  @Test(arguments: TransportKind.present) func linesAreDeliveredWithoutLineBreaks(_ kind: TransportKind) async throws {
    answer("one\ntw", "o\r", "\n\nfo", "ur\rfour", "\nla", "st")
    let recorder = await end(try client(kind).lines(request: "/lines"))
    expectEqual(recorder.values, ["one", "two", "", "four\rfour", "last"])
    expect(recorder.isCompleted)
  }

  @Test(arguments: TransportKind.present) func aLineArrivesBeforeTheEndOfTheBody(_ kind: TransportKind) async throws {
    server.route("GET", "/lines") { _ in
      .script([.text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\none\nt\r\n"), .hold])
    }
    let recorder = SignalRecorder(try client(kind).lines(request: "/lines"))
    await expect(recorder.wait { $0.count == 1 })
    expectEqual(recorder.values, ["one"])
  }

  @Test(arguments: TransportKind.present) func eachLineIsDecodedByTheRulesOfTheClient(_ kind: TransportKind)
    async throws
  {
    answer("{\"id\":1}\n\n \t\r\n{\"id\":2,\"shipp", "ed_at\":60}\r\n{\"id\":3}")
    let client = try client(kind) { $0.json = JSONCoding(keys: .snakeCase, dates: .secondsSince1970) }
    let recorder = await end(client.lines(request: Request(.post, "/lines"), of: Order.self))
    let expected = [Order(id: 1), Order(id: 2, shippedAt: Date(timeIntervalSince1970: 60)), Order(id: 3)]
    expectEqual(recorder.values, expected)
    expect(recorder.isCompleted)
  }

  @Test func theRulesOfARequestReplaceThoseOfTheClient() async throws {
    answer("{\"id\":1,\"shipped_at\":60}\n")
    var request = Request(.get, "/lines")
    request.options.json = JSONCoding(keys: .snakeCase, dates: .secondsSince1970)
    let recorder = await end(try client(.urlSession).lines(request: request, of: Order.self))
    expectEqual(recorder.values, [Order(id: 1, shippedAt: Date(timeIntervalSince1970: 60))])
  }

  @Test(arguments: TransportKind.present) func anInvalidLineFailsAfterTheLinesBeforeIt(_ kind: TransportKind)
    async throws
  {
    answer("{\"id\":1}\n\n{\"id\":\"x\"}\n{\"id\":4}\n")
    let recorder = await end(try client(kind).lines(request: "/lines", of: Order.self))
    expectEqual(recorder.values, [Order(id: 1)])
    let error = try require(recorder.failure)
    expectEqual(error.code, .unexpectedShape)
    expect(error.reason.hasPrefix("line 3: id is a string, not Int"), "\(error.reason)")
    expectEqual(error.response?.value, Data("{\"id\":\"x\"}".utf8))
    expectEqual(error.statusCode, 200)
    expectEqual(error.request?.url.path, "/lines")
  }

  @Test func aLineThatIsNoJSONHasItsNumber() async throws {
    answer("{\"id\":1}\n{\"id\"\n")
    let recorder = await end(try client(.urlSession).lines(request: "/lines", of: Order.self))
    expectEqual(recorder.values.count, 1)
    expectEqual(recorder.failure?.code, .malformedBody)
    expectEqual(recorder.failure?.reason.hasPrefix("line 2: "), true)
    expectEqual(recorder.failure?.response?.value, Data("{\"id\"".utf8))
  }

  /// A watch begins again after it; a proxy may end a response cleanly although its server has died.
  @Test(arguments: [#"{"id""#, #"{"id":2,"name":"a"#, #"{"id":tru"#, #"{"id":-"#, #"{"id":[2"#])
  func aResponseThatEndsWithinTheJSONOfALineIsCutOff(_ rest: String) async throws {
    answer("{\"id\":1}\n" + rest)
    let recorder = await end(try client(.urlSession).lines(request: "/lines", of: Order.self))
    expectEqual(recorder.values.count, 1)
    expectEqual(recorder.failure?.code, .connectionLost)
    expectEqual(recorder.failure?.reason, "the response ended within line 2")
    expectEqual(recorder.failure?.response?.value, Data(rest.utf8))
    // A complete one is wrong each time.
    server.route("GET", "/lines") { _ in .text(rest) }
    let complete = await end(try client(.urlSession).lines(request: "/lines", of: Order.self))
    expectEqual(complete.failure?.code, .malformedBody)
  }

  @Test(arguments: ["<html></html>", "{bad}", #"{"id":trux"#, #"{"id":1]"#])
  func aLastLineThatIsNoJSONIsMalformed(_ line: String) async throws {
    answer("{\"id\":1}\n" + line)
    let recorder = await end(try client(.urlSession).lines(request: "/lines", of: Order.self))
    expectEqual(recorder.failure?.code, .malformedBody)
  }

  @Test(arguments: TransportKind.present) func aLineBeyondTheLimitFailsAndClosesTheConnection(_ kind: TransportKind)
    async throws
  {
    let piece = Data(repeating: 0x61, count: 10_000)
    server.route("GET", "/lines") { _ in
      .script([.text("HTTP/1.1 200 OK\r\n\r\na\n")] + Array(repeating: .bytes(piece), count: 20) + [.hold])
    }
    let client = try client(kind) { $0.limits.lineByteCount = 50_000 }
    let recorder = await end(client.lines(request: "/lines"))
    expectEqual(recorder.values, ["a"])
    expectEqual(recorder.failure?.code, .responseTooLarge)
    expectEqual(recorder.failure?.reason, "line over the limit of 50000 bytes")
    await expect(server.wait { $0.openConnectionCount == 0 })
  }

  @Test(arguments: TransportKind.present) func aBodyThatIsCutOffFailsAfterItsLines(_ kind: TransportKind) async throws {
    server.route("GET", "/lines") { _ in
      .script([.text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\none\ntwo\nthr"), .close])
    }
    let recorder = await end(try client(kind).lines(request: "/lines"))
    expectEqual(recorder.values, ["one", "two"])
    expectEqual(recorder.failure?.domain, .network)
    expectEqual(recorder.failure?.response?.statusCode, 200)
  }

  @Test func anErrorStatusFailsWithItsBody() async throws {
    server.route("GET", "/lines") { _ in .text("gone\n", status: 410) }
    let recorder = await end(try client(.urlSession).lines(request: "/lines"))
    expect(recorder.values.isEmpty)
    expectEqual(recorder.failure?.code, .status(410))
    expectEqual(recorder.failure?.response?.value, Data("gone\n".utf8))
  }

  @Test func aRequestIsRetriedUntilItsHeadHasArrived() async throws {
    let kit = TestKit { $0.retry = Retry(limit: 3, backoff: .none) }
    let head = StubAnswer.Step.head(status: 200)
    let lost = StubAnswer.Step.failure(NetworkError(.connectionLost))
    kit.stub.on(
      .get, "/lines", StubAnswer([lost]), .status(503), StubAnswer([head, .body(Data("a\nb".utf8)), lost]))
    let recorder = SignalRecorder(kit.client.lines(request: "/lines"))
    expectEqual(recorder.values, ["a"])
    expectEqual(recorder.failure?.code, .connectionLost)
    expectEqual(kit.stub.requests.count, 3)
    kit.stub.on(.get, "/lines", StubAnswer([head, .body(Data("a".utf8)), lost]), .text("again"))
    let early = SignalRecorder(kit.client.lines(request: "/lines"))
    expect(early.values.isEmpty)
    expect(early.failure != nil)
    expectEqual(kit.stub.requests.count, 4)
  }

  @Test(arguments: TransportKind.present) func disposalAfterALineClosesTheConnection(_ kind: TransportKind) async throws
  {
    server.route("GET", "/lines") { _ in
      .chunked(Array(repeating: Data("a\nb\n".utf8), count: 100_000), every: .milliseconds(1))
    }
    let recorder = await end(try client(kind).lines(request: "/lines").take(3))
    expectEqual(recorder.values, ["a", "b", "a"])
    expect(recorder.isCompleted)
    await expect(server.wait { $0.openConnectionCount == 0 && $0.acceptedCount == 1 })
  }

  /// Of 64 MB the server can send what fits into the buffers of the system, and no more.
  ///
  /// `URLSession` on Linux cannot pause.
  @Test(arguments: TransportKind.present.filter { $0 == .curl }) func aSlowLoopPausesTheConnection(
    _ kind: TransportKind
  ) async throws {
    let lineCount = 1_000
    let line = Data(repeating: 0x61, count: 65_535) + Data("\n".utf8)
    server.route("GET", "/lines") { _ in .chunked(Array(repeating: line, count: lineCount)) }
    let client = try client(kind)
    var count = 0
    for try await line in client.lines(request: "/lines").values {
      count += 1
      expectEqual(line.utf8.count, 65_535)
      if count > 1 { continue }
      // Another reader has all of them meanwhile, over the same threads.
      let other = await end(client.exchange(request: "/lines"))
      expectEqual(other.values.first?.value.count, lineCount * 65_536)
      expect(server.log.connections[0].sentByteCount < 24 << 20)
    }
    expectEqual(count, lineCount)
  }
}
