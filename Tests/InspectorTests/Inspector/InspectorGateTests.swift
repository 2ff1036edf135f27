import HeliographTestSupport
import TestSupport
import Testing

@testable import HeliographInspector

/// Who may read the requests: over a real socket, with every byte of the request.
struct InspectorGateTests {
  private let page: InspectorPageOf

  init() throws { page = InspectorPageOf(inspector: try NetworkInspector()) }

  /// `TOKEN` and `PORT` are those of the inspector.
  private func status(
    _ method: String = "GET", _ target: String = "/TOKEN/", host: String = "127.0.0.1:PORT", origin: String? = nil,
    body: String = "", _ fields: [String: String] = [:]
  ) async throws -> InspectorPageOf.Reply {
    func filled(_ text: String) -> String {
      text.replacing("TOKEN", with: page.path.replacing("/", with: "")).replacing("PORT", with: "\(page.port)")
    }
    var all = fields
    all["Host"] = filled(host)
    all["Origin"] = origin.map(filled)
    return try await page.send(method, filled(target), all, body: body)
  }

  @Test(arguments: ["127.0.0.1:PORT", "localhost:PORT", "LocalHost:PORT"])
  func servesThisMachine(host: String) async throws {
    let reply = try await status(host: host)
    expectEqual(reply.status, 200)
    expect(reply.text.hasPrefix("<!doctype html>"))
  }

  @Test(arguments: [
    "evil.example", "evil.example:PORT", "127.0.0.1", "localhost", "127.0.0.1:1", "127.0.0.1:PORT.evil.example",
    "0.0.0.0:PORT", "127.0.0.2:PORT", "[::1]:PORT", "user@127.0.0.1:PORT", "127.0.0.1:PORT, evil.example", "",
  ])
  func refusesOtherHosts(host: String) async throws {
    let reply = try await status(host: host)
    expectEqual(reply.status, 403)
    expectEqual(reply.body.count, 0)
  }

  @Test(arguments: ["http://127.0.0.1:PORT", "http://localhost:PORT"])
  func servesItsOwnOrigins(origin: String) async throws {
    try await expectEqual(status(origin: origin).status, 200)
  }

  @Test(arguments: [
    "http://evil.example", "https://127.0.0.1:PORT", "http://127.0.0.1:1", "http://127.0.0.1", "null", "", "file://",
    "http://127.0.0.1:PORT.evil.example",
  ])
  func refusesOtherOrigins(origin: String) async throws {
    try await expectEqual(status(origin: origin).status, 403)
  }

  @Test(arguments: [
    "/", "/TOKEN0/", "/token/", "//TOKEN/", "/x/TOKEN/", "/changes?after=0", "/0/changes?after=0", "/favicon.ico",
    "/TOKE/", "/?token=TOKEN", "/%54OKEN/../TOKE",
  ])
  func refusesWrongTokens(target: String) async throws {
    let wrong = target.replacing("TOKE/", with: "\(page.path.dropFirst().dropLast(2))/")
    let reply = try await status("GET", wrong)
    expectEqual(reply.status, 403)
    // Nothing helps to guess.
    expectEqual(reply.body.count, 0)
    expect(!reply.head.contains(page.path.replacing("/", with: "")))
  }

  @Test(arguments: [
    ("/TOKEN", 404), ("/TOKEN/other", 404), ("/TOKEN/changes/", 404), ("/TOKEN/changes", 400),
    ("/TOKEN/changes?after=x", 400), ("/TOKEN/exchange", 400), ("/TOKEN/exchange?key=1", 404),
    ("/TOKEN/exchange?key=-1", 404), ("/TOKEN/exchange?key=9223372036854775807", 404),
    ("http://evil.example/TOKEN/", 200),
  ])
  func knowsItsResourcesOnly(target: String, status expected: Int) async throws {
    try await expectEqual(status("GET", target).status, expected)
  }

  @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS"])
  func changesNothing(method: String) async throws {
    try await expectEqual(status(method).status, 405)
  }

  @Test func readsNoBodies() async throws {
    try await expectEqual(status("POST", body: "x", ["Content-Length": "1"]).status, 413)
  }

  @Test(arguments: ["/TOKEN/", "/TOKEN/exchange?key=1", "/wrong/"])
  func everyReplyIsGuarded(target: String) async throws {
    let head = try await status("GET", target).head.lowercased()
    for field in [
      "content-security-policy: default-src 'none';", "referrer-policy: no-referrer", "x-content-type-options: nosniff",
      "cache-control: no-store", "cross-origin-resource-policy: same-origin",
    ] {
      expect(head.contains("\r\n" + field), "\(field) in \(head)")
    }
    expect(!head.contains("access-control-allow"))
  }

  @Test func tokensAreRandom() {
    let tokens = Set((0..<1_000).map { _ in InspectorGate.makeToken() })
    expectEqual(tokens.count, 1_000)
    expect(tokens.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
  }
}
