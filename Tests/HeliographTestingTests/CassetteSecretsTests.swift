import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// What a cassette's file holds instead of secrets, so that responses are decoded as when they were recorded.
struct CassetteSecretsTests {
  private struct Login: Decodable, Sendable, Equatable {
    let token: String
    let totalTokens: Int
    let passwordRequired: Bool
    let nextPageToken: String?
    let pin: Int

    enum CodingKeys: String, CodingKey {
      case token
      case totalTokens = "total_tokens"
      case passwordRequired
      case nextPageToken = "next_page_token"
      case pin
    }
  }

  private let file = FileManager.default.temporaryDirectory.appendingPathComponent("cassette-\(UUID().uuidString).json")
  private let stub = StubTransport()

  private func client(recording: Bool, envelope: any Envelope = .plain) throws -> NetworkClient {
    let transport = try CassetteTransport(file: file, recording: recording ? stub : nil)
    var configuration = NetworkClient.Configuration(
      baseURL: URL(string: "https://api.example.com"), transport: transport)
    configuration.stages.envelope = envelope
    return NetworkClient(configuration)
  }

  /// The text of the file, and once more that of its bodies: decoded from base64, and without the zeros of UTF-16.
  private func contents() throws -> String {
    let data = try Data(contentsOf: file)
    var text = String(decoding: data, as: UTF8.self)
    let exchanges = try JSON(data: data).array ?? []
    for exchange in exchanges {
      for body in [exchange["text"], exchange["request"]["body"]].compactMap(\.string) {
        let bytes = body.hasPrefix("base64:") ? Data(base64Encoded: String(body.dropFirst(7))) : Data(body.utf8)
        text += "\n" + String(decoding: bytes ?? Data(), as: UTF8.self).replacing("\0", with: "")
      }
    }
    return text
  }

  /// The code of an envelope, counts, Booleans and `null` are no secrets, whatever they are called.
  @Test("P10") func anEnvelopeIsDecodedAsWhenItWasRecorded() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let answer = #"""
      {"code":0,"msg":"","data":{"token":"hunter2","total_tokens":12,"passwordRequired":false,
      "next_page_token":null,"pin":83920177}}
      """#
    stub.on(.get, "/login", .json(answer))
    let recording = try client(recording: true, envelope: .codeMessageData)
    let login = try await recording.value(of: "/login", as: Login.self)
    expectEqual(
      login, Login(token: "hunter2", totalTokens: 12, passwordRequired: false, nextPageToken: nil, pin: 83_920_177))
    let text = try contents()
    expect(!text.contains("hunter2"))
    expect(!text.contains("83920177"))
    let replaying = try client(recording: false, envelope: .codeMessageData)
    let replayed = try await replaying.value(of: "/login", as: Login.self)
    expect(replayed.token != "hunter2")
    expect(!replayed.token.isEmpty)
    expectEqual(
      replayed, Login(token: replayed.token, totalTokens: 12, passwordRequired: false, nextPageToken: nil, pin: 1_000))
  }

  /// So do the links in bodies and the header fields with such tokens.
  @Test func theLinksOfPagesDifferFromEachOther() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let answers = [2, 3].map { number in
      StubAnswer.json(#"{"next":"https://api.example.com/items?skip_token=hunter\#(number)"}"#)
        .header("X-Next-Page-Token", "hunter\(number)")
    }
    stub.on(.get, "/items", answers[0], answers[1])
    let recording = try client(recording: true)
    for _ in 2...3 { _ = try await recording.value(of: "/items", as: JSON.self) }
    try expect(!contents().contains("hunter"))
    let replaying = try client(recording: false)
    var (links, fields): (Set<String?>, Set<String?>) = ([], [])
    for _ in 2...3 {
      let page = try await replaying.send("/items", as: JSON.self)
      links.insert(page.value["next"].string)
      fields.insert(page.headers["X-Next-Page-Token"])
    }
    expectEqual(links.count, 2)
    expectEqual(fields.count, 2)
    expect(links.allSatisfy { $0.flatMap { URL(string: $0) } != nil })
  }

  /// An app that stops at a page which it has had would stop at the second one.
  @Test func theTokensOfPagesDifferFromEachOther() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.get, "/items", .json(#"{"next_page_token":"hunter2"}"#), .json(#"{"next_page_token":"hunter3"}"#))
    let recording = try client(recording: true)
    for expected in ["hunter2", "hunter3"] {
      let page = try await recording.value(of: "/items", as: JSON.self)
      expectEqual(page["next_page_token"].string, expected)
    }
    let text = try contents()
    expect(!text.contains("hunter"))
    let replaying = try client(recording: false)
    let first = try await replaying.value(of: "/items", as: JSON.self)["next_page_token"].string
    let second = try await replaying.value(of: "/items", as: JSON.self)["next_page_token"].string
    expect(first != nil)
    expect(second != nil)
    expect(first != second)
  }

  /// As the body of a request and as that of its response.
  @Test func noBodyWithJSONInItKeepsItsSecrets() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let wide = try require(#"{"name":"shown","token":"hunter2"}"#.data(using: .utf16LittleEndian))
    let bodies: [(type: String, body: Data)] = [
      ("application/x-ndjson", Data("{\"name\":\"shown\",\"token\":\"hunter2\"}\n{\"password\":\"hunter2\"}\n".utf8)),
      ("text/event-stream", Data("event: login\ndata: {\"name\":\"shown\",\"token\":\"hunter2\"}\n\n".utf8)),
      ("application/json", Data(#"{"next":"https://a.example/?access_token=hunter2&name=shown"}"#.utf8)),
      ("application/json", wide),
    ]
    let recording = try client(recording: true)
    var requests: [Request] = []
    for (type, body) in bodies {
      let path = "/\(requests.count)"
      stub.on(.post, path, .data(body, contentType: type))
      let request = Request(.post, RequestPath(path), body: .data(body, contentType: type))
      try await expectEqual(recording.value(of: request, as: Data.self), body, "\(type)")
      requests.append(request)
    }
    let text = try contents()
    expect(!text.contains("hunter2"), "\(text)")
    let replaying = try client(recording: false)
    for request in requests {
      let body = String(decoding: try await replaying.value(of: request, as: Data.self), as: UTF8.self)
      expect(body.contains("shown"), "\(body)")
      expect(!body.contains("hunter2"), "\(body)")
    }
  }

  @Test func theSecretFieldsOfAMultipartBodyAreNotRecorded() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.post, "/upload", .text("done"))
    let parts: Multipart = [
      .text("password", "hunter2"), .text("title", "shown"), .data("photo", Data([0xFF, 0, 1])),
    ]
    let upload = Request(.post, "/upload", body: .multipart(parts))
    try await expectEqual(client(recording: true).value(of: upload, as: String.self), "done")
    let sent = try require(stub.requests.first)
    expect(String(decoding: sent.bodyData, as: UTF8.self).contains("hunter2"))
    let text = try contents()
    expect(!text.contains("hunter2"), "\(text)")
    expect(text.contains("shown"), "\(text)")
    try await expectEqual(client(recording: false).value(of: upload, as: String.self), "done")
  }

  private func expectReplay(of answer: StubAnswer, _ check: (_ recorded: String, Response<Data>) -> Void) async throws {
    try? FileManager.default.removeItem(at: file)
    stub.on(.get, "/a", answer)
    _ = try await client(recording: true).send("/a", as: Data.self)
    let replayed = try await client(recording: false).send("/a", as: Data.self)
    try check(contents(), replayed)
  }

  /// Anything else than JSON, forms and their like is kept if no secret has a name in it.
  @Test func onlyWhatIsHarmlessIsKept() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    // The name of a secret that is short is there by chance.
    let picture = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]) + Data(" pin ".utf8)
    try await expectReplay(of: .data(picture, contentType: "image/png")) { recorded, replayed in
      expectEqual(replayed.value, picture, "\(recorded)")
    }
    for body in ["<html>Hello &amp; welcome</html>", "name,age\nada,36", "{\"a\":1,}", "plain"] {
      try await expectReplay(of: .text(body)) { recorded, replayed in
        expectEqual(String(decoding: replayed.value, as: UTF8.self), body, "\(recorded)")
      }
    }
    for body in [
      "<a token='hunter2'/>", "{\"access_token\":\"hunter2\",}", "{\"password\":\"hunter2\"", "pin: hunter2",
    ] {
      try await expectReplay(of: .text(body)) { recorded, replayed in
        expect(!recorded.contains("hunter2"), "\(recorded)")
        // It is as malformed as before.
        expectNil(try? JSON(data: replayed.value))
      }
    }
  }

  /// Flags and cases are no secrets; the digits of one are.
  @Test func smallNumbersAreKept() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let body = #"""
      {"has_password":1,"mfa":9,"pin":10,"password":[0,7],"otp":{"a":5,"b":2},
      "session":{"kind":2,"level":3,"name":"hunter2"},"auth":{"kind":1},"tokens":{"input":4,"output":6}}
      """#
    stub.on(.get, "/a", .json(body))
    _ = try await client(recording: true).value(of: "/a", as: JSON.self)
    let replayed = try await client(recording: false).value(of: "/a", as: JSON.self)
    expectEqual(replayed["has_password"].int, 1)
    expectEqual(replayed["mfa"].int, 9)
    expectEqual(replayed["session"]["kind"].int, 2)
    expectEqual(replayed["session"]["level"].int, 3)
    expectEqual(replayed["auth"]["kind"].int, 1)
    expectEqual(replayed["tokens"], ["input": 4, "output": 6])
    let digits = (replayed["password"].array ?? []) + [replayed["otp"]["a"], replayed["otp"]["b"]]
    let others = ([replayed["pin"]] + digits).compactMap(\.int)
    expectEqual(Set(others).count, 5)
    expect(others.allSatisfy { $0 > 999 }, "\(others)")
  }

  /// The code of an error is replayed, a one-time code or that of a sign-in is not recorded.
  @Test(arguments: [
    (#"{"code":"839201"}"#, 200, false), (#"{"code":"a1b2c3d4e5f6a7b8c9d0"}"#, 200, false),
    (#"{"code":"839201","message":"sent"}"#, 200, false), (#"{"code":839201}"#, 200, false),
    (#"{"code":"not_found"}"#, 200, false), (#"{"code":"not_found","message":"x"}"#, 200, true),
    (#"{"code":40001,"msg":"x"}"#, 200, true), (#"{"code":"E1001","data":{}}"#, 200, true),
    (#"{"error":{"code":"not_found"}}"#, 200, true), (#"{"code":"100200"}"#, 404, true), (#"{"code":1001}"#, 404, true),
  ])
  func theCodeOfAnErrorIsKept(_ body: String, _ status: Int, _ isKept: Bool) async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.get, "/a", .json(body, status: status))
    _ = try? await client(recording: true).send("/a", as: JSON.self)
    let json = try JSON(data: Data(contentsOf: file))
    expectEqual(json.array?.first?["text"].string == body, isKept, "\(json)")
  }

  @Test func onlyTheOwnerMayReadTheFile() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let hasFile = FileManager.default.createFile(
      atPath: file.path, contents: Data("[]".utf8), attributes: [.posixPermissions: 0o644])
    expect(hasFile)
    stub.on(.get, "/a", .text("1"))
    for page in 1...3 {
      _ = try await client(recording: true).send("/a?page=\(page)", as: String.self)
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      expectEqual((attributes[.posixPermissions] as? NSNumber)?.intValue, 0o600)
      // As after a checkout, before exchanges are added.
      expectEqual(chmod(file.path, 0o644), 0)
    }
    let folder = try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
    expect(!folder.contains { $0.hasPrefix("." + file.lastPathComponent) })
  }

  /// Timestamp, nonce and signature differ with every attempt.
  @Test(arguments: [[nil, nil, nil], ["my_mark", "at", "once"]])
  func whatWasSignedIsReplayed(_ names: [String?]) async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.get, "/a", .text("1"), .text("2"))
    let requests = (1...2).map { page in
      var request = Request(.get, "/a?page=\(page)")
      request.options.signer = HMACSigner(
        key: Data("key".utf8), signatureName: names[0], timestampName: names[1], nonceName: names[2])
      return request
    }
    let recording = try client(recording: true)
    try await expectEqual(recording.value(of: requests[0], as: String.self), "1")
    try await expectEqual(recording.value(of: requests[1], as: String.self), "2")
    let sent = try require(stub.requests.first?.url.query)
    let signature = try require(sent.split(separator: "=").last.map(String.init))
    try expect(!contents().contains(signature))
    let replaying = try client(recording: false)
    try await expectEqual(replaying.value(of: requests[1], as: String.self), "2")
    try await expectEqual(replaying.value(of: requests[0], as: String.self), "1")
  }
}
