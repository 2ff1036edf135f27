import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// The output of each level, and what no level shows.
struct ConsoleMonitorTests {
  private func output(_ level: ConsoleMonitor.Level) async -> [String] {
    let lines = Log<String>()
    let kit = TestKit { $0.monitors = [ConsoleMonitor(level: level) { lines.add($0) }] }
    kit.stub.on(
      .post, "/login", .json(#"{"token":"hunter2","name":"Ada"}"#, headers: ["Set-Cookie": "hunter2", "X-Page": "1"]))
    kit.stub.on(.get, "/broken", .text("oops", status: 500))
    let login = Request(.post, "/login?password=hunter2", body: .json(["user": "ada", "password": "hunter2"]))
    _ = try? await kit.client.send(login, as: JSON.self)
    _ = try? await kit.client.send("/broken", as: Int.self)
    let stuck = SignalRecorder(kit.client.exchange(request: "/stuck"))
    stuck.dispose()
    return lines.entries
  }

  @Test func errorsAreFailuresAlone() async {
    let lines = await output(.errors)
    expectEqual(lines.count, 2)
    expectEqual(lines.first?.hasPrefix("server error 500"), true)
  }

  @Test func requestsAreALineForEachStep() async {
    let lines = await output(.requests)
    expect(lines.contains { $0.hasPrefix("POST https://api.example.com/login?… (request ") })
    expect(lines.contains { $0.hasPrefix("https://api.example.com/login?… => 200 (request ") })
    expect(lines.allSatisfy { !$0.contains("\n") })
    // Lines of several requests at once are told apart.
    expect(lines.allSatisfy { $0.contains(/request [0-9]+/) }, "\(lines)")
  }

  @Test func headersAndBodiesComeWithTheirLevels() async {
    let headers = await output(.headers).joined(separator: "\n")
    expect(headers.contains("X-Page: 1") && headers.contains("curl -X POST 'https://api.example.com/login?password="))
    expect(!headers.contains("Ada"))
    expect(!headers.contains("--data-binary"))
    let bodies = await output(.bodies).joined(separator: "\n")
    expect(bodies.contains(#""name":"Ada""#))
    expect(bodies.contains(#""user":"ada""#))
    expect(bodies.contains("<4 bytes>"))
    expect(!bodies.contains("oops"))
  }

  @Test func aStreamedBodyHasNoSize() async throws {
    let lines = Log<String>()
    let kit = TestKit { $0.monitors = [ConsoleMonitor(level: .headers) { lines.add($0) }] }
    kit.stub.on(.get, "/film", .data(Data(repeating: 1, count: 100_000), contentType: "video/mp4"))
    let recorder = SignalRecorder(kit.client.stream(request: "/film"))
    await recorder.waitForEnd()
    expectEqual(recorder.values.reduce(0) { $0 + $1.value.count }, 100_000)
    let text = lines.entries.joined(separator: "\n")
    expect(text.contains("200, streamed ") || text.contains(", streamed (request"), "\(text)")
    expect(!text.contains(", 0 bytes"))
  }

  @Test(arguments: ConsoleMonitor.Level.allCases) func noLevelShowsASecret(_ level: ConsoleMonitor.Level) async {
    let text = await output(level).joined(separator: "\n")
    expect(!text.contains("hunter2"))
  }

  /// The output of a request and a response with the same body.
  private func output(of body: String, as type: String, headers: HTTPHeaders = [:]) async -> String {
    let lines = Log<String>()
    let kit = TestKit { $0.monitors = [ConsoleMonitor(level: .bodies) { lines.add($0) }] }
    let data = Data(body.utf8)
    kit.stub.on(.post, "/echo", .data(data, contentType: type, headers: headers))
    _ = try? await kit.client.send(Request(.post, "/echo", body: .data(data, contentType: type)), as: Data.self)
    return lines.entries.joined(separator: "\n")
  }

  /// Servers take and send JSON as text, one value per line, and in events.
  @Test func secretsInTheJSONOfATextAreRedacted() async {
    for (type, body) in [
      ("text/plain", #"{"token":"hunter2","name":"Ada"}"#),
      ("text/plain", "{\"token\":\"hunter2\"}\n{\"name\":\"Ada\"}\n"),
      ("text/event-stream", "data: {\"token\":\"hunter2\"}\n\ndata: {\"name\":\"Ada\"}\n\n"),
    ] {
      let text = await output(of: body, as: type)
      expect(!text.contains("hunter2"), "\(text)")
      // Of the request and of the response.
      expectEqual(text.components(separatedBy: #""name":"Ada""#).count, 3, "\(text)")
    }
  }

  /// Only names tell secrets from other values, so a text without structure is not shown at all.
  @Test(arguments: [
    "Dear {name}, [1, 2]", "access_token=hunter2&token_type=bearer", "<Password>hunter2</Password>",
    #"response: {"password":"hunter2"}"#, "{\"a\":1}\nhunter2", #"{"password":"hunter2""#, "data: hunter2\n\n",
  ])
  func textsAreShownByTheirSize(_ body: String) async {
    for type in ["text/plain", "text/xml", "application/xml"] {
      let text = await output(of: body, as: type)
      // Of the request and of the response.
      expectEqual(text.components(separatedBy: "<\(body.utf8.count) bytes>").count, 3, "\(text)")
      expect(!text.contains("hunter2"))
    }
  }

  /// The value of a body has the first of two members with one name, and its text has both.
  @Test func aRepeatedMemberDoesNotTurnRedactionOff() async {
    for body in [#"{"a":1,"a":{"password":"hunter2"}}"#, #"{"password":null,"password":"hunter2"}"#] {
      let text = await output(of: body, as: "application/json")
      expect(!text.contains("hunter2"), "\(text)")
    }
    let body = #"{ "b": 1.50, "a": ":" }"#
    let text = await output(of: body, as: "application/json")
    expectEqual(text.components(separatedBy: body).count, 3, "\(text)")
  }

  @Test func secretParametersInTheFieldsOfAResponseAreRedacted() async {
    let link = #"<https://a.example/?access_token=hunter2&page=2>; rel="next""#
    let text = await output(of: "1", as: "application/json", headers: ["Link": link])
    expect(!text.contains("hunter2"))
    expect(text.contains("Link: " + link.replacing("hunter2", with: "<redacted>")))
  }

  @Test func longBodiesAreShortened() async {
    let lines = Log<String>()
    let kit = TestKit { $0.monitors = [ConsoleMonitor(level: .bodies) { lines.add($0) }] }
    kit.stub.on(.get, "/long", .text(String(repeating: "a", count: 100_000)))
    _ = try? await kit.client.send("/long", as: String.self)
    expect(lines.entries.allSatisfy { $0.utf8.count < 6_000 })
    expect(lines.entries.contains { $0.contains("100000 bytes") })
  }
}
