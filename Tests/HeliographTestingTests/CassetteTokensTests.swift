import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// Requests with a secret of an earlier response are replayed like they were recorded.
struct CassetteTokensTests {
  private let file = FileManager.default.temporaryDirectory.appendingPathComponent("tokens-\(UUID().uuidString).json")
  private let stub = StubTransport()

  private func client(recording: Bool) throws -> NetworkClient {
    let transport = try CassetteTransport(file: file, recording: recording ? stub : nil)
    return NetworkClient(.init(baseURL: URL(string: "https://api.example.com"), transport: transport))
  }

  /// Returns the results of a run that records and of one that replays.
  private func results<Value: Sendable>(
    _ run: (NetworkClient) async throws -> Value
  ) async throws -> (recorded: Value, replayed: Value) {
    let recorded = try await run(client(recording: true))
    let text = try String(contentsOf: file, encoding: .utf8)
    expect(!text.contains("alpha") && !text.contains("omega"), "\(text)")
    return try await (recorded, run(client(recording: false)))
  }

  private func value(_ client: NetworkClient, _ path: String, _ secret: String) async throws -> String {
    let escaped = try require(secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["-"])))
    return try await client.value(of: Request(.get, RequestPath(path + escaped)), as: String.self)
  }

  /// Members in another order than sorted, with a number, in text and inside a string are compared too; so is a link.
  @Test(arguments: [
    #"{"next_page_token":"alpha"}"#, #"{ "next_page_token" : "alpha", "count" : 1, "pin" : 5 }"#,
    #"{"data":"{ \"next_page_token\": \"alpha\", \"a\": 1 }","next_page_token":"alpha"}"#,
  ])
  func aTokenThatIsRepeatedIsReplayed(_ body: String) async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.get, "/list", .json(body))
    stub.on(.get, "/page", .text("first"), .text("second"))
    let (recorded, replayed) = try await results { client in
      var values: [String] = []
      for _ in 1...2 {
        let list = try await client.value(of: "/list", as: JSON.self)
        // The second response is a second exchange of the file.
        _ = try await client.value(of: "/list", as: JSON.self)
        let token = try require(list["next_page_token"].string)
        try await values.append(value(client, "/page?page_token=", token))
      }
      return values
    }
    expectEqual(recorded, ["first", "second"])
    expectEqual(replayed, recorded)
  }

  /// Otherwise the second page would be read again and again.
  @Test func pagesWithNumbersAsTokensAreReplayed() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let pages = ["78001", "78002", "null"].map { #"{"next_page_token":\#($0),"backup_tokens":[78001.5]}"# }
    stub.on(.get, "/list", .json(pages[0]), .json(pages[1]), .json(pages[2]))
    let (recorded, replayed) = try await results { client in
      var count = 0
      var token: Int? = 0
      while let last = token, count < 5 {
        let page = try await client.value(of: Request(.get, RequestPath("/list?page_token=\(last)")), as: JSON.self)
        token = page["next_page_token"].int
        count += 1
      }
      return count
    }
    expectEqual(recorded, 3)
    expectEqual(replayed, 3)
    let text = try String(contentsOf: file, encoding: .utf8)
    expect(!text.contains("7800"), "\(text)")
  }

  /// Each response has the token of the session, and each request sends that of the last response.
  @Test func theTokenOfASessionInEachResponseIsReplayed() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let count = Guarded(0)
    stub.on(.post, "/step") { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return .json(#"{"session_token":"alpha","step":\#(number)}"#)
    }
    let (recorded, replayed) = try await results { client in
      var token: String?
      var steps: [JSON] = []
      for _ in 1...4 {
        let body = RequestBody.json(token.map { ["session_token": JSON.string($0)] } ?? [:])
        let response = try await client.value(of: Request(.post, "/step", body: body), as: JSON.self)
        token = response["session_token"].string
        steps.append(response["step"])
      }
      return steps
    }
    expectEqual(recorded, [1, 2, 3, 4])
    expectEqual(replayed, recorded)
  }

  /// The first key is requested once more than it was recorded.
  @Test(arguments: [
    #"[{"key":"alpha 1"},{"key":"omega/2"}]"#, #"[ { "key" : "alpha 1", "id" : 1 }, { "key" : "omega/2", "a" : 2 } ]"#,
    "{\"key\": \"alpha 1\", \"a\": 1}\n{\"key\": \"omega/2\", \"a\": 2}\n",
    "data: {\"key\": \"alpha 1\", \"a\": 1}\r\n\r\ndata: {\"key\": \"omega/2\", \"a\": 2}\r\n\r\n",
    "data: {\"key\": \"alpha 1\", \"a\": 1}\n\ndata: {\"key\": \"omega/2\", \"a\": 2}\n\n",
  ])
  func theSecretsOfOneResponseAreDistinguished(_ body: String) async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.get, "/list", .text(body))
    stub.on(.get, "/item") { .text($0.url.query?.contains("alpha") == true ? "first" : "second") }
    let (recorded, replayed) = try await results { client in
      let list = try await client.value(of: "/list", as: String.self)
      let keys = list.matches(of: /"key"\s*:\s*"([^"]*)"/).map { String($0.output.1) }
      var values: [String] = []
      for key in keys { try await values.append(value(client, "/item?key=", key)) }
      return (values, try await value(client, "/item?key=", try require(keys.first)))
    }
    expectEqual(recorded.0, ["first", "second"])
    expectEqual(replayed.0, recorded.0)
    expectEqual(replayed.1, "first")
  }

  /// A token that itself looks escaped is escaped once more in a link.
  @Test func aTokenWithAnEscapeIsEqualToThatOfALink() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let link = #"</page?page_token=alpha%252Fx>; rel="next""#
    stub.on(.get, "/list", .json(#"{"next_page_token":"alpha%2Fx"}"#).header("Link", link))
    stub.on(.get, "/page", .text("first"), .text("second"))
    let (recorded, replayed) = try await results { client in
      let list = try await client.send("/list", as: JSON.self)
      let target = try require(list.headers.links.first).target
      let first = try await client.value(of: Request(.get, RequestPath(target)), as: String.self)
      let token = try require(list.value["next_page_token"].string)
      return try await [first, value(client, "/page?page_token=", token)]
    }
    expectEqual(recorded, ["first", "second"])
    expectEqual(replayed, recorded)
  }

  /// A line of JSON without a secret is stored as it was received.
  @Test func otherLinesAreUnchanged() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let lines = #"{"price": 1.10, "id": 7}"# + "\n" + #"{"token":"alpha"}"# + "\n"
    stub.on(.get, "/lines", .text(lines))
    let (_, replayed) = try await results { try await $0.value(of: "/lines", as: String.self) }
    expectEqual(replayed, lines.replacingOccurrences(of: "alpha", with: "redacted-1"))
  }

  /// A secret has one placeholder, whether it is in a body or escaped in a field.
  @Test func theLinksOfAResponseAreDistinguishedAndEqualToItsTokens() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    let link = #"</page?page_token=alpha%201>; rel="next", </page?page_token=omega%2F2>; rel="last""#
    stub.on(.get, "/list", .json(#"{"last_page_token":"omega/2"}"#).header("Link", link))
    stub.on(.get, "/page", .text("next"), .text("last"), .text("last again"))
    let (recorded, replayed) = try await results { client in
      let list = try await client.send("/list", as: JSON.self)
      var values: [String] = []
      for link in list.headers.links {
        try await values.append(client.value(of: Request(.get, RequestPath(link.target)), as: String.self))
      }
      let token = try require(list.value["last_page_token"].string)
      try await values.append(value(client, "/page?page_token=", token))
      return values
    }
    expectEqual(recorded, ["next", "last", "last again"])
    expectEqual(replayed, recorded)
  }

  private static let placeholderRequests: [@Sendable (_ token: String) -> Request] = [
    { Request(.get, "/orders", headers: ["Authorization": "Bearer \($0)"]) }, { Request(.get, "/orders?key=\($0)") },
    { Request(.post, "/orders", body: .json(["token": JSON.string($0)])) },
    { Request(.get, "/orders", headers: ["Authorization": "Basic  \(Data("ada:\($0)".utf8).base64EncodedString())"]) },
  ]

  /// The server would reject it, and the rejection would be recorded.
  @Test(arguments: placeholderRequests.indices) func aPlaceholderIsNotSent(_ index: Int) async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    stub.on(.post, "/login", .json(#"{"access_token":"alpha"}"#))
    stub.on("*", "/orders", .json("[7]"))
    _ = try await client(recording: true).value(of: Request(.post, "/login"), as: JSON.self)
    let extending = try client(recording: true)
    let login = try await extending.value(of: Request(.post, "/login"), as: JSON.self)
    let token = try require(login["access_token"].string)
    let recorder = SignalRecorder(extending.exchange(request: Self.placeholderRequests[index](token)))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .unexpectedRequest)
    expect("\(try require(recorder.failure))".contains("a placeholder of a replayed response"))
    // Requests without one are recorded.
    try await expectEqual(extending.value(of: "/orders", as: JSON.self), [7])
    expectEqual(stub.requests.map(\.url.path), ["/login", "/orders"])
    try await expectEqual(client(recording: false).value(of: "/orders", as: JSON.self), [7])
  }

  /// Transports with different spellings of one path know the secrets of each other.
  @Test func aFileHasOneSetOfSecrets() async throws {
    let folder = file.deletingPathExtension()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder.appendingPathComponent("x"), withIntermediateDirectories: true)
    let link = folder.appendingPathComponent("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder)
    let file = folder.appendingPathComponent("a.json")
    // Their file does not exist yet.
    for (name, target) in [("b.json", "c.json"), ("c.json", "x/../a.json")] {
      let path = folder.appendingPathComponent(name).path
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }
    stub.on(.get, "/list", .json(#"{"token":"alpha"}"#))
    for (page, path) in ["b.json", "a.json", "x/../a.json", "link/a.json"].enumerated() {
      let transport = try CassetteTransport(file: folder.appendingPathComponent(path), recording: stub)
      let client = NetworkClient(.init(baseURL: URL(string: "https://api.example.com"), transport: transport))
      _ = try await client.value(of: "/list?page=\(page)", as: JSON.self)
    }
    let text = try String(contentsOf: file, encoding: .utf8)
    expectEqual(text.matches(of: /redacted-[0-9]+/).map { String($0.output) }, Array(repeating: "redacted-1", count: 4))
  }
}
