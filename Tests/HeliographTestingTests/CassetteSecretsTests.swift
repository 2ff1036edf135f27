import Foundation
import Heliograph
import HeliographTesting
import Testing

/// What a cassette's file holds instead of secrets, so that responses are decoded as when they were recorded.
@Suite struct CassetteSecretsTests {
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

  private func client(recording: Bool, envelope: any Envelope = PlainEnvelope()) throws -> NetworkClient {
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
  @Test func anEnvelopeIsDecodedAsWhenItWasRecorded() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let answer = #"""
      {"code":0,"msg":"","data":{"token":"hunter2","total_tokens":12,"passwordRequired":false,
      "next_page_token":null,"pin":1234}}
      """#
    stub.on(.get, "/login", .json(answer))
    let recording = try client(recording: true, envelope: .codeMessageData)
    let login = try await recording.value(of: "/login", as: Login.self)
    #expect(
      login
        == Login(token: "hunter2", totalTokens: 12, passwordRequired: false, nextPageToken: nil, pin: 1234))
    let text = try contents()
    #expect(!text.contains("hunter2") && !text.contains("1234"))
    let replaying = try client(recording: false, envelope: .codeMessageData)
    let replayed = try await replaying.value(of: "/login", as: Login.self)
    #expect(replayed.token != "hunter2" && !replayed.token.isEmpty)
    #expect(
      replayed
        == Login(token: replayed.token, totalTokens: 12, passwordRequired: false, nextPageToken: nil, pin: 0))
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
    #expect(try !contents().contains("hunter"))
    let replaying = try client(recording: false)
    var (links, fields): (Set<String?>, Set<String?>) = ([], [])
    for _ in 2...3 {
      let page = try await replaying.send("/items", as: JSON.self)
      links.insert(page.value["next"].string)
      fields.insert(page.headers["X-Next-Page-Token"])
    }
    #expect(links.count == 2 && fields.count == 2)
    #expect(links.allSatisfy { $0.flatMap { URL(string: $0) } != nil })
  }

  /// An app that stops at a page which it has had would stop at the second one.
  @Test func theTokensOfPagesDifferFromEachOther() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.get, "/items", .json(#"{"next_page_token":"hunter2"}"#), .json(#"{"next_page_token":"hunter3"}"#))
    let recording = try client(recording: true)
    for expected in ["hunter2", "hunter3"] {
      let page = try await recording.value(of: "/items", as: JSON.self)
      #expect(page["next_page_token"].string == expected)
    }
    let text = try contents()
    #expect(!text.contains("hunter"))
    let replaying = try client(recording: false)
    let first = try await replaying.value(of: "/items", as: JSON.self)["next_page_token"].string
    let second = try await replaying.value(of: "/items", as: JSON.self)["next_page_token"].string
    #expect(first != nil && second != nil && first != second)
  }

  /// As the body of a request and as that of its response.
  @Test func noBodyWithJSONInItKeepsItsSecrets() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let wide = try #require(#"{"name":"shown","token":"hunter2"}"#.data(using: .utf16LittleEndian))
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
      let request = Request(.post, path, body: .data(body, contentType: type))
      #expect(try await recording.value(of: request, as: Data.self) == body, "\(type)")
      requests.append(request)
    }
    let text = try contents()
    #expect(!text.contains("hunter2"), "\(text)")
    let replaying = try client(recording: false)
    for request in requests {
      let body = String(decoding: try await replaying.value(of: request, as: Data.self), as: UTF8.self)
      #expect(body.contains("shown") && !body.contains("hunter2"), "\(body)")
    }
  }

  @Test func theSecretFieldsOfAMultipartBodyAreNotRecorded() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.post, "/upload", .text("done"))
    let parts: Multipart = [
      .text("password", "hunter2"), .text("title", "shown"), .data("photo", Data([0xFF, 0, 1])),
    ]
    let upload = Request(.post, "/upload", body: .multipart(parts))
    #expect(try await client(recording: true).value(of: upload, as: String.self) == "done")
    let sent = try #require(stub.requests.first)
    #expect(String(decoding: sent.bodyData, as: UTF8.self).contains("hunter2"))
    let text = try contents()
    #expect(!text.contains("hunter2") && text.contains("shown"), "\(text)")
    #expect(try await client(recording: false).value(of: upload, as: String.self) == "done")
  }
}
