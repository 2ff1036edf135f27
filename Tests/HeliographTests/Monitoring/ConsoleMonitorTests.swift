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

  @Test func longBodiesAreShortened() async {
    let lines = Lines()
    let kit = TestKit { $0.monitors = [ConsoleMonitor(level: .bodies) { lines.add($0) }] }
    kit.stub.on(.get, "/long", .text(String(repeating: "a", count: 100_000)))
    _ = try? await kit.client.send("/long", as: String.self)
    #expect(lines.all.allSatisfy { $0.utf8.count < 6_000 })
    #expect(lines.all.contains { $0.contains("100000 bytes") })
  }
}
