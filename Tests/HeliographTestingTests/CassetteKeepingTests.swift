import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// Ordinary data that has the name of a secret is replayed as it was recorded.
struct CassetteKeepingTests {
  private let file = FileManager.default.temporaryDirectory.appendingPathComponent("keeping-\(UUID().uuidString).json")
  private let stub = StubTransport()

  private func client(recording: Bool, keeping kept: Set<String> = []) throws -> NetworkClient {
    let transport = try CassetteTransport(file: file, recording: recording ? stub : nil, keeping: kept)
    return NetworkClient(.init(baseURL: URL(string: "https://api.example.com"), transport: transport))
  }

  /// Returns a request with a value, in each place in which a name is recognized.
  private static let requests: [@Sendable (_ value: String) -> Request] = [
    { Request(.get, "/country?code=\($0)") },
    { Request(.post, "/price", body: .json(["code": JSON.string($0), "password": "hunter2"])) },
    { Request(.post, "/price", body: .json(["name": "code", "value": JSON.string($0)])) },
    { Request(.post, "/price", body: .form(["code": $0, "password": "hunter2"])) },
    {
      let part = "--b\r\nContent-Disposition: form-data; name=\"code\"\r\n\r\n\($0)\r\n--b--"
      return Request(.post, "/price", body: .data(Data(part.utf8), contentType: "multipart/form-data; boundary=b"))
    },
  ]

  @Test(arguments: requests.indices)
  func aRequestWithAKeptNameGetsItsOwnResponse(_ index: Int) async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let request = CassetteKeepingTests.requests[index]
    stub.on("*", "*") { .text(((($0.url.query ?? "") + $0.bodyText).contains("DE")) ? "Germany" : "France") }
    for code in ["DE", "FR"] {
      _ = try await client(recording: true, keeping: ["Code"]).value(of: request(code), as: String.self)
    }
    try expect(!String(contentsOf: file, encoding: .utf8).contains("hunter2"))
    let replaying = try client(recording: false, keeping: ["Code"])
    try await expectEqual(replaying.value(of: request("FR"), as: String.self), "France")
    let other = SignalRecorder(replaying.exchange(request: request("IT")))
    expectEqual(other.failure?.code, .unexpectedRequest)
    if index == 0 {
      let problem = "\(try require(other.failure))"
      expect(problem.contains("the query has code=IT, not code=FR"), "\(problem)")
    }
  }

  @Test func aResponseWithAKeptNameLeadsToTheRecordedRequest() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.get, "/issues", .json(#"{"key":"PROJ-1","token":"hunter2"}"#, headers: ["X-Session": "kept"]))
    stub.on(.get, "/issue/PROJ-1", .text("found"))
    for isRecording in [true, false] {
      let client = try client(recording: isRecording, keeping: ["key", "x-session"])
      let issues = try await client.send("/issues", as: JSON.self)
      expectEqual(issues.headers["X-Session"], "kept")
      let key = try require(issues.value["key"].string)
      try await expectEqual(client.value(of: "/issue/\(key)", as: String.self), "found")
    }
    try expect(!String(contentsOf: file, encoding: .utf8).contains("hunter2"))
  }

  /// Of RFC 6749 and RFC 8414; a secret in one of the URLs is found there.
  @Test func theMetadataOfAnAuthorizationServerIsReplayed() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let body = #"""
      {"token_type":"Bearer","token_endpoint":"https://a.example/token","authorization_endpoint":"https://a.example/",
      "token_endpoint_auth_methods_supported":["private_key_jwt"],"id_token_signing_alg_values_supported":["RS256"]}
      """#
    stub.on(.get, "/a", .json(body))
    stub.on(.get, "/b", .json(#"{"token_endpoint":"https://a.example/?token=hunter2"}"#))
    let recording = try client(recording: true)
    for path: RequestPath in ["/a", "/b"] { _ = try await recording.send(Request(.get, path), as: JSON.self) }
    try await expectEqual(client(recording: false).value(of: "/a", as: String.self), body)
    try expect(!String(contentsOf: file, encoding: .utf8).contains("hunter2"))
  }

  private struct Session: Codable, Sendable {
    let sessionID: UUID
    let session: Details

    struct Details: Codable, Sendable {
      let id: UUID
      let other: UUID
      let start: Date
    }
  }

  @Test func identifiersAndDatesAreDecodedAsWhenTheyWereRecorded() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let (id, other) = (UUID().uuidString, UUID().uuidString)
    let session = #"{"id":"\#(id.lowercased())","other":"\#(other)","start":"2026-01-02T03:04:05Z"}"#
    let body = #"{"sessionID":"\#(id)","session":\#(session),"pin":"2026-01-02"}"#
    stub.on(.get, "/a", .json(body, headers: ["X-Session-Id": id]))
    let recorded = try await client(recording: true).value(of: "/a", as: Session.self)
    let replayed = try await client(recording: false).value(of: "/a", as: Session.self)
    expectEqual(replayed.session.start, recorded.session.start)
    expectEqual(replayed.sessionID, replayed.session.id)
    expect(replayed.session.other != replayed.session.id)
    let head = SignalRecorder(try client(recording: false).exchange(request: "/a")).values.first
    expectEqual(head?.headers["X-Session-Id"], replayed.sessionID.uuidString)
    let text = try String(contentsOf: file, encoding: .utf8).lowercased()
    for secret in [id.lowercased(), other.lowercased(), "2026-01-02\\\""] { expect(!text.contains(secret), "\(text)") }
    // The server would not know it.
    let request = Request(.get, "/sessions/\(replayed.sessionID)")
    let sent = SignalRecorder(try client(recording: true).exchange(request: request))
    expectEqual(sent.failure?.code, .unexpectedRequest)
    expectEqual(stub.requests.count, 1)
  }
}
