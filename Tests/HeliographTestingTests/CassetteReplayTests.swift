import Foundation
import Heliograph
import TestSupport
import Testing

@testable import HeliographTesting

/// A replayed response fits its body, an unmatched request is explained, and recording is linear.
struct CassetteReplayTests {
  private let file = FileManager.default.temporaryDirectory.appendingPathComponent("replay-\(UUID().uuidString).json")

  private func client(_ base: URL, over next: (any Transport)?) throws -> NetworkClient {
    NetworkClient(.init(baseURL: base, transport: try CassetteTransport(file: file, recording: next)))
  }

  @Test(arguments: ["AAAAAAAABBBBBBBBCCCCCCCCDDDDDDDD", "A"])
  func aBodyWithoutItsSecretHasItsOwnLength(secret: String) async throws {
    let download = file.appendingPathExtension("body")
    defer {
      try? FileManager.default.removeItem(at: file)
      try? FileManager.default.removeItem(at: download)
    }
    let server = try LoopbackServer()
    server.route("GET", "/token") { _ in
      .json(#"{"access_token":"\#(secret)","expires_in":3600}"#)
        .header("Content-MD5", "x").header("Repr-Digest", "x").header("Content-Digest", "x").header("Digest", "x")
    }
    server.route("GET", "/plain") { _ in .json(#"{"a":1}"#).header("Repr-Digest", "kept") }
    let base = server.baseURL
    let recording = try client(base, over: URLSessionTransport())
    _ = try await recording.value(of: "/token", as: JSON.self)
    _ = try await recording.value(of: "/plain", as: JSON.self)
    server.stop()
    let replaying = try client(base, over: nil)
    let response = try await replaying.send("/token")
    expectEqual(response.headers["Content-Length"], "\(response.value.count)")
    for name in ["Content-MD5", "Digest", "Repr-Digest", "Content-Digest"] { expectNil(response.headers[name]) }
    expect(!String(decoding: response.value, as: UTF8.self).contains(secret + "\""))
    let plain = try await replaying.send("/plain")
    expectEqual(plain.headers["Content-Length"], "7")
    expectEqual(plain.headers["Repr-Digest"], "kept")
    let recorder = SignalRecorder(replaying.download(request: "/token", to: download))
    await recorder.waitForEnd()
    expectNil(recorder.failure)
    try expectEqual(Data(contentsOf: download), response.value)
  }

  private func stubbed(_ stub: StubTransport?) throws -> NetworkClient {
    try client(try require(URL(string: "https://api.example.com")), over: stub)
  }

  private func problem(_ request: Request) throws -> String {
    let recorder = SignalRecorder(try stubbed(nil).exchange(request: request))
    expectEqual(recorder.failure?.code, .unexpectedRequest)
    return "\(try require(recorder.failure))"
  }

  @Test func anUnmatchedRequestIsExplained() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let stub = StubTransport()
    stub.on("*", "*", .text("ok"))
    let recording = try stubbed(stub)
    _ = try await recording.value(of: Request(.post, "/orders", body: .json(["id": 1])), as: String.self)
    _ = try await recording.value(of: "/users?page=1", as: String.self)
    try expect(problem(Request(.post, "/orders", body: .json(["id": 2]))).contains("this request with another body"))
    try expect(problem(Request(.get, "/orders")).contains("the cassette has this URL with POST only"))
    let other = try problem(Request(.get, "/users?page=2"))
    expect(other.contains("the query has page=2, not page=1"), "\(other)")
    try expect(problem(Request(.get, "/users?page=1&sort=name")).contains("the query also has sort=name"))
    try expect(problem(Request(.get, "/people")).contains("the path is /people, not /"))
  }

  /// The request, and the explanation of its difference from ``anUnmatchedBodyIsExplained(_:_:)``'s.
  private static let bodies: [(body: String, reason: String)] = [
    (#"{"id":"b","items":[{"n":1},2],"pin":7}"#, #": the body has id="b", not id="a"; use `comparing:`"#),
    (#"{"id":"a","items":[{"n":2},2],"pin":8}"#, ": the body has items[0].n=2, not items[0].n=1; use"),
    (#"{"id":"a","items":[{"n":1}],"pin":7}"#, ": the body lacks items[1]=2; use"),
    (#"{"id":"a","items":[{"n":1},2],"pin":7,"z":null}"#, ": the body also has z=null; use"),
    (#"{"id":"a"}"#, #": the body lacks items=[{"n":1},2]; use"#),
    (#"[1]"#, #": the body has [1], not {"id":"a","#), ("plain", "with another body; use `comparing:` to leave out"),
    // More like the other request of the recording.
    (#"{"time":9,"note":"n"}"#, ": the body has time=9, not time=1; use"),
  ]

  @Test(arguments: bodies.indices) func anUnmatchedBodyIsExplained(_ index: Int) async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    func request(_ body: String) -> Request {
      Request(.post, "/orders", body: .data(Data(body.utf8), contentType: "application/json"))
    }
    let stub = StubTransport()
    stub.on("*", "*", .text("ok"))
    for body in [#"{"id":"a","items":[{"n":1},2],"pin":7}"#, #"{"note":"n","time":1}"#] {
      _ = try await stubbed(stub).value(of: request(body), as: String.self)
    }
    let (body, reason) = CassetteReplayTests.bodies[index]
    let problem = try problem(request(body))
    expect(problem.contains("the cassette has this request with another body"), "\(problem)")
    expect(problem.contains(reason), "\(problem)")
    expect(!problem.contains("pin=8"), "\(problem)")
  }

  @Test func anItemThatChangesEachTimeIsExplained() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let stub = StubTransport()
    stub.on("*", "*", .text("ok"))
    _ = try await stubbed(stub).value(of: "/feed?_=1", as: String.self)
    let advice = "; use `comparing:` to leave out what changes each time"
    try expect(problem("/feed?_=2").contains("the query has _=2, not _=1" + advice))
    try expect(!problem("/other?_=2").contains(advice))
  }

  /// The body has a new identifier each time, and the language is in a header field.
  @Test func aRequestIsComparedAsTheTestSays() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let stub = StubTransport()
    stub.on(.post, "/a") { .text($0.headers["Accept-Language"] ?? "none") }
    @Sendable func compared(_ request: HTTPRequest) -> HTTPRequest {
      var request = request
      request.body = .empty
      let language = URLQueryItem(name: "language", value: request.headers["Accept-Language"])
      request.url.append(queryItems: [language])
      return request
    }
    func value(_ next: StubTransport?, _ languages: [String]) async throws -> [String] {
      let transport = try CassetteTransport(file: file, recording: next, comparing: compared)
      let client = NetworkClient(.init(baseURL: URL(string: "https://api.example.com"), transport: transport))
      var values: [String] = []
      for language in languages {
        let body = RequestBody.json(["id": UUID().uuidString])
        let request = Request(.post, "/a", headers: ["Accept-Language": language], body: body)
        try await values.append(client.value(of: request, as: String.self))
      }
      return values
    }
    try await expectEqual(value(stub, ["en", "de"]), ["en", "de"])
    try await expectEqual(value(nil, ["de", "en"]), ["de", "en"])
    expectEqual(stub.requests.count, 2)
    expectNil(stub.requests.first?.url.query())
  }

  /// Each exchange is added to the end of the file, which is a whole list after each of them.
  @Test func recordingWritesEachExchangeOnce() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let stub = StubTransport()
    let text = String(repeating: "x", count: 1_000)
    stub.on(.get, "/**") { .text($0.url.path + text) }
    let recording = [try stubbed(stub), try stubbed(stub)]
    for index in 0..<200 {
      let path = RequestPath("/\(index)")
      try await expectEqual(recording[index % 2].value(of: Request(.get, path), as: String.self), "/\(index)" + text)
    }
    expectEqual(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int, 0o600)
    let list = try JSONDecoder().decode([JSON].self, from: Data(contentsOf: file))
    expectEqual(list.count, 200)
    let replaying = try stubbed(nil)
    for index in [0, 1, 100, 199] {
      let path = RequestPath("/\(index)")
      try await expectEqual(replaying.value(of: Request(.get, path), as: String.self), "/\(index)" + text)
    }
  }

  @Test func aFileThatWasEditedIsExtended() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let stub = StubTransport()
    stub.on(.get, "/**") { .text($0.url.path) }
    _ = try await stubbed(stub).value(of: "/one", as: String.self)
    let text = try String(contentsOf: file, encoding: .utf8)
    try (text + "\n").write(to: file, atomically: true, encoding: .utf8)
    _ = try await stubbed(stub).value(of: "/two", as: String.self)
    for path: RequestPath in ["/one", "/two"] {
      try await expectEqual(stubbed(nil).value(of: Request(.get, path), as: String.self), path.text)
    }
  }

  /// It would find half of a list.
  @Test func aReaderWaitsForAWrite() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let cassette = CassetteFile(url: file)
    let head = HTTPResponse(statusCode: 200, url: try require(URL(string: "https://api.example.com")))
    let request = CassetteRequest(HTTPRequest(url: head.url))
    let readCount = Guarded(0)
    let hasRead = DispatchSemaphore(value: 0)  // blocks: a thread of its own
    try await onThread {
      for index in 0..<2 {
        _ = try cassette.add(request, number: index + 1, variant: nil) { _, placeholders in
          if index == 1 {
            Thread.detachNewThread {
              let count = try? cassette.exchanges(orNew: true).count
              readCount.withLock { $0 = count ?? -1 }
              hasRead.signal()
            }
            // The reader has this time to read too early.
            _ = hasRead.wait(timeout: .now() + .milliseconds(100))
          }
          return CassetteExchange(request.key, number: index + 1, variant: nil, head, Data(), &placeholders)
        }
      }
    }
    await until { readCount.withLock { $0 } != 0 }
    expectEqual(readCount.withLock { $0 }, 2)
  }
}
