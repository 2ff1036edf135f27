import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// Exchanges are recorded from a real server and replayed without it.
struct CassetteTests {
  private let file = FileManager.default.temporaryDirectory.appendingPathComponent("cassette-\(UUID().uuidString).json")

  private func client(_ base: URL, recording: Bool) throws -> NetworkClient {
    let transport = try CassetteTransport(file: file, recording: recording ? URLSessionTransport() : nil)
    return NetworkClient(.init(baseURL: base, transport: transport))
  }

  private let login = Request(.post, "/login?token=hunter2", body: .json(["password": "hunter2", "user": "ada"]))

  @Test("P10") func whatWasRecordedIsReplayedWithoutANetwork() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let server = try LoopbackServer()
    server.route("POST", "/login") { _ in
      .json(#"{"token":"hunter2","name":"Ada"}"#).header("Set-Cookie", "s=hunter2").header("X-Page", "1")
    }
    let count = Guarded(0)
    server.route("GET", "/count") { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return .text(String(number))
    }
    server.route("GET", "/bytes") { _ in .data(Data([0xFF, 0, 1])) }
    let base = server.baseURL
    let recording = try client(base, recording: true)
    try await expectEqual(recording.value(of: login, as: JSON.self)["token"].string, "hunter2")
    for expected in ["1", "2"] { try await expectEqual(recording.value(of: "/count", as: String.self), expected) }
    try await expectEqual(recording.value(of: "/bytes", as: Data.self), Data([0xFF, 0, 1]))
    let received = server.log.requests.count
    server.stop()

    let text = try String(contentsOf: file, encoding: .utf8)
    expect(!text.contains("hunter2"))
    expect(text.contains("Ada"))
    let replaying = try client(base, recording: false)
    let response = try await replaying.send(login, as: JSON.self)
    expectEqual(response.value["name"].string, "Ada")
    expectEqual(response.headers["X-Page"], "1")
    for expected in ["1", "2", "2"] { try await expectEqual(replaying.value(of: "/count", as: String.self), expected) }
    try await expectEqual(replaying.value(of: "/bytes", as: Data.self), Data([0xFF, 0, 1]))
    let other = SignalRecorder(replaying.exchange(request: "/other"))
    await other.waitForEnd()
    expectEqual(other.failure?.code, .unexpectedRequest)
    expectEqual(server.log.requests.count, received)
  }

  /// A link to itself stands for a file of a folder that must not be read.
  @Test func aFileThatCannotBeExaminedIsNotReplaced() throws {
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let error = #expect(throws: NetworkError.self) { try CassetteTransport(file: file, recording: StubTransport()) }
    expectEqual(error?.code, .invalidTransport)
    expectEqual(try FileManager.default.destinationOfSymbolicLink(atPath: file.path), file.path)
  }

  @Test("P10") func secretParametersInFieldsOfAResponseAreNotRecorded() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let server = try LoopbackServer()
    let link = #"<https://a.example/?page=2&token=hunter2>; rel="next", <https://b.example/?code=hunter2>; rel="last""#
    server.route("GET", "/start") { _ in
      .redirect(to: "/end?code=hunter2&page=2#access_token=hunter2&state=1").header("Link", link)
    }
    server.route("GET", "/end") { _ in .text(#"{"token":"hunter2","name":"Ada"}"#).header("Link", link) }
    let base = server.baseURL
    let recorded = try await client(base, recording: true).send("/start", as: JSON.self)
    expectEqual(recorded.value["token"].string, "hunter2")
    expectEqual(recorded.headers["Link"], link)
    server.stop()
    let text = try String(contentsOf: file, encoding: .utf8)
    expect(!text.contains("hunter2"))
    expect(text.contains("/end?code=redacted-1&page=2#access_token=redacted-1&state=1"))
    let replayed = try await client(base, recording: false).send("/start", as: JSON.self)
    expectEqual(replayed.value["name"].string, "Ada")
    expectEqual(replayed.headers["Link"], link.replacing("hunter2", with: "redacted-1"))
  }

  @Test func simultaneousExchangesAreAllRecorded() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let server = try LoopbackServer()
    server.route("GET", "*") { .text($0.path) }
    let base = server.baseURL
    let recording = try client(base, recording: true)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<20 { group.addTask { _ = try await recording.value(of: "/\(index)", as: String.self) } }
      try await group.waitForAll()
    }
    server.stop()
    let replaying = try client(base, recording: false)
    for index in 0..<20 { try await expectEqual(replaying.value(of: "/\(index)", as: String.self), "/\(index)") }
  }

  /// A client of a cassette that records over a transport, or replays without one.
  private func client(over next: (any Transport)?) throws -> NetworkClient {
    let transport = try CassetteTransport(file: file, recording: next)
    return NetworkClient(.init(baseURL: URL(string: "https://api.example.com"), transport: transport))
  }

  @Test func twoTransportsThatRecordToOneNewFileKeepTheExchangesOfBoth() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let stub = StubTransport()
    stub.on(.get, "/*") { .text($0.url.path) }
    let recording = [try client(over: stub), try client(over: stub)]
    let paths = ["/one", "/two", "/three"]
    for (index, path) in paths.enumerated() {
      try await expectEqual(recording[index % 2].value(of: Request(.get, RequestPath(path)), as: String.self), path)
    }
    let replaying = try client(over: nil)
    for path in paths {
      try await expectEqual(replaying.value(of: Request(.get, RequestPath(path)), as: String.self), path)
    }
  }

  /// The file marks bodies in base64 with such a beginning.
  @Test func aTextThatBeginsLikeBase64InTheFileIsReplayedAsItIs() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let stub = StubTransport()
    stub.on(.get, "/text", .text("base64:aGk="))
    try await expectEqual(client(over: stub).value(of: "/text", as: String.self), "base64:aGk=")
    try await expectEqual(client(over: nil).value(of: "/text", as: String.self), "base64:aGk=")
  }

  private func upload(of byteCount: Int) -> Request {
    let stream = BodyStream(byteCount: byteCount) { BodyStream.pieces(of: [Data(count: byteCount)]) }
    return Request(.post, "/upload", body: .stream(stream, contentType: "text/plain"))
  }

  /// A stream is not read: only its length tells it from another one.
  @Test func streamsOfDifferentLengthsDoNotMatch() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let stub = StubTransport()
    stub.on(.post, "/upload", .text("three"), .text("four"))
    let recording = try client(over: stub)
    try await expectEqual(recording.value(of: upload(of: 3), as: String.self), "three")
    try await expectEqual(recording.value(of: upload(of: 4), as: String.self), "four")
    let replaying = try client(over: nil)
    // Not in the order of the recording.
    try await expectEqual(replaying.value(of: upload(of: 4), as: String.self), "four")
    try await expectEqual(replaying.value(of: upload(of: 3), as: String.self), "three")
    let other = SignalRecorder(replaying.exchange(request: upload(of: 5)))
    await other.waitForEnd()
    expectEqual(other.failure?.code, .unexpectedRequest)
  }

  @Test func aCassetteThatIsMissingOrMalformedIsAnError() throws {
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(throws: NetworkError.self) { try CassetteTransport(file: file) }
    try Data("{".utf8).write(to: file)
    #expect(throws: NetworkError.self) { try CassetteTransport(file: file, recording: URLSessionTransport()) }
  }

  @Test func itUsesTheNetworkIfItsTransportDoes() throws {
    defer { try? FileManager.default.removeItem(at: file) }
    try expect(CassetteTransport(file: file, recording: URLSessionTransport()).usesNetwork)
    try expect(!CassetteTransport(file: file, recording: StubTransport()).usesNetwork)
    try Data("[]".utf8).write(to: file)
    try expect(!CassetteTransport(file: file).usesNetwork)
  }
}
