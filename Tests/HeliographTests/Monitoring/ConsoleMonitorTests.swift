import Foundation
import Heliograph
import HeliographTesting
import Testing

/// The output of each level, and what no level shows.
@Suite struct ConsoleMonitorTests {
  private func output(_ level: ConsoleMonitor.Level) async -> [String] {
    let lines = Lines()
    let kit = TestKit { $0.monitors = [ConsoleMonitor(level: level) { lines.add($0) }] }
    kit.stub.on(
      .post, "/login", .json(#"{"token":"hunter2","name":"Ada"}"#, headers: ["Set-Cookie": "hunter2", "X-Page": "1"]))
    kit.stub.on(.get, "/broken", .text("oops", status: 500))
    let login = Request(.post, "/login?password=hunter2", body: .json(["user": "ada", "password": "hunter2"]))
    _ = try? await kit.client.send(login, as: JSON.self)
    _ = try? await kit.client.send("/broken", as: Int.self)
    let stuck = SignalRecorder(kit.client.enqueue(request: "/stuck"))
    stuck.dispose()
    return lines.all
  }

  @Test func errorsAreFailuresAlone() async {
    let lines = await output(.errors)
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("server error 500") == true)
  }

  @Test func requestsAreALineForEachStep() async {
    let lines = await output(.requests)
    #expect(lines.contains { $0.hasPrefix("POST https://api.example.com/login?… (request ") })
    #expect(lines.contains("https://api.example.com/login?… => 200"))
    #expect(lines.allSatisfy { !$0.contains("\n") })
  }

  @Test func headersAndBodiesComeWithTheirLevels() async {
    let headers = await output(.headers).joined(separator: "\n")
    #expect(headers.contains("X-Page: 1") && headers.contains("curl -X POST 'https://api.example.com/login?password="))
    #expect(!headers.contains("Ada") && !headers.contains("--data-binary"))
    let bodies = await output(.bodies).joined(separator: "\n")
    #expect(bodies.contains(#""name":"Ada""#) && bodies.contains(#""user":"ada""#))
    #expect(bodies.contains("oops"))
  }

  @Test(arguments: ConsoleMonitor.Level.allCases) func noLevelShowsASecret(_ level: ConsoleMonitor.Level) async {
    let text = await output(level).joined(separator: "\n")
    #expect(!text.contains("hunter2"))
  }

  /// The output of a request and a response with the same body.
  private func output(of body: String, as type: String, headers: HTTPHeaders = [:]) async -> String {
    let lines = Lines()
    let kit = TestKit { $0.monitors = [ConsoleMonitor(level: .bodies) { lines.add($0) }] }
    let data = Data(body.utf8)
    kit.stub.on(.post, "/echo", .data(data, contentType: type, headers: headers))
    _ = try? await kit.client.send(Request(.post, "/echo", body: .data(data, contentType: type)), as: Data.self)
    return lines.all.joined(separator: "\n")
  }

  /// Servers take and send JSON as text, one value per line, and in events.
  @Test func secretsInTheJSONOfATextAreRedacted() async {
    for (type, body) in [
      ("text/plain", #"{"token":"hunter2","name":"Ada"}"#),
      ("text/plain", "{\"token\":\"hunter2\"}\n{\"name\":\"Ada\"}\n"),
      ("text/event-stream", "data: {\"token\":\"hunter2\"}\n\ndata: {\"name\":\"Ada\"}\n\n"),
    ] {
      let text = await output(of: body, as: type)
      #expect(!text.contains("hunter2"), "\(text)")
      // Of the request and of the response.
      #expect(text.components(separatedBy: #""name":"Ada""#).count == 3, "\(text)")
    }
    let letter = await output(of: "Dear {name}, [1, 2]", as: "text/plain")
    #expect(letter.components(separatedBy: "Dear {name}, [1, 2]").count == 3)
  }

  @Test func secretParametersInTheFieldsOfAResponseAreRedacted() async {
    let link = #"<https://a.example/?access_token=hunter2&page=2>; rel="next""#
    let text = await output(of: "1", as: "application/json", headers: ["Link": link])
    #expect(!text.contains("hunter2"))
    #expect(text.contains("Link: " + link.replacing("hunter2", with: "<redacted>")))
  }

  @Test func longBodiesAreShortened() async {
    let lines = Lines()
    let kit = TestKit { $0.monitors = [ConsoleMonitor(level: .bodies) { lines.add($0) }] }
    kit.stub.on(.get, "/long", .text(String(repeating: "a", count: 100_000)))
    _ = try? await kit.client.send("/long", as: String.self)
    #expect(lines.all.allSatisfy { $0.utf8.count < 6_000 })
    #expect(lines.all.contains { $0.contains("100000 bytes") })
  }
}
