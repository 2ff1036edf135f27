import Foundation
import Heliograph
import HeliographTesting
import Testing

@testable import Courier

@Suite(.timeLimit(.minutes(1))) struct CommonOptionTests {
  private let trial: Trial

  init() throws { trial = try Trial() }

  @Test func headerFieldsAndMethodAreSent() async {
    trial.server.route("REPORT", "/a") { _ in .text("done") }
    let code = await trial.run("post", "/a", "-X", "REPORT", "-H", "X-A: 1", "-H", "User-Agent:me", "-H", "X-A: 2")
    #expect(code == 0)
    let request = trial.server.log.requests.last
    #expect(request?.header("X-A") == "1, 2")
    #expect(request?.header("User-Agent") == "me")
    #expect(await trial.run("post", "/a", "-H", "no colon") == 2)
    #expect(await trial.run("post", "/a", "-H", "bad name: 1") == 2)
    #expect(await trial.run("post", "/a", "-X", "bad method") == 2)
  }

  @Test func theTokenIsAnOptionOrAVariable() async {
    trial.server.route("GET", "/a") { _ in .text("") }
    let variable = ["COURIER_TOKEN": "variable"]
    #expect(await trial.run("get", "/a", "-o", "-", "--bearer", "option", environment: variable) == 0)
    #expect(await trial.run("get", "/a", "-o", "-", environment: variable) == 0)
    #expect(await trial.run("get", "/a", "-o", "-", "-H", "Authorization: own", environment: variable) == 0)
    #expect(await trial.run("get", "/a", "-o", "-", environment: ["COURIER_TOKEN": ""]) == 0)
    #expect(
      trial.server.log.requests.map { $0.header("Authorization") } == ["Bearer option", "Bearer variable", "own", nil])
    #expect(await trial.run("get", "/a", "--bearer", "two words") == 2)
  }

  @Test func verboseShowsEverythingButSecrets() async {
    trial.server.route("GET", "/old") { _ in .redirect(to: "/new?token=hidden-1") }
    trial.server.route("GET", "/new") { _ in .text("body").header("Set-Cookie", "session=hidden-2") }
    let code = await trial.run("get", "/old?password=hidden-3", "-v", "-o", "-", "--bearer", "hidden-4")
    #expect(code == 0)
    #expect(trial.output.text == "body")
    let text = trial.errors.text
    #expect(!text.contains("hidden"))
    #expect(text.contains("> curl 'http://127.0.0.1:"))
    #expect(text.contains("-H 'Authorization: <redacted>'"))
    #expect(text.contains("* redirected to http://127.0.0.1:"))
    #expect(text.contains("< status 200\n"))
    #expect(text.contains("< Content-Type: text/plain; charset=utf-8\n"))
    #expect(text.contains("ms, first byte "))
    #expect(text.contains("received "))
    #expect(text.contains("redirects 1"))
  }

  @Test func theTrafficIsWrittenToAFile() async throws {
    trial.server.route("GET", "/a") { _ in .json("1") }
    let file = trial.path("traffic.har")
    #expect(await trial.run("get", "/a", "-o", "-", "--bearer", "hidden", "--har", file) == 0)
    let text = String(decoding: try #require(trial.content("traffic.har")), as: UTF8.self)
    #expect(text.contains(trial.server.url("/a").absoluteString) && !text.contains("hidden"))
    #expect(await trial.run("get", "/a", "-o", "-", "--har", trial.path("missing/traffic.har")) != 0)
    #expect(trial.server.log.requests.count == 1)
  }

  @Test(arguments: [["get", "/a", "--sha256", "12"], ["post", "/a", "--json", "{a"]])
  func wrongArgumentsOpenNeitherTheInspectorNorAFile(_ words: [String]) async throws {
    try trial.create("traffic.har", Data("{}".utf8))
    #expect(await trial.run(words + ["--inspect", "--har", trial.path("traffic.har"), "--total-timeout", "1"]) == 2)
    #expect(trial.fileNames == ["traffic.har"])
    #expect(trial.errors.lines.count == 1)
  }

  @Test func theInspectorWaitsAfterAFailure() async {
    let run = trial.start("get", "/missing", "-o", "-", "--inspect")
    await trial.errors.wait { $0.contains("Ctrl-C ends the inspector") }
    let lines = trial.errors.lines
    #expect(lines.count == 3)
    #expect(lines.first?.hasPrefix("courier: the requests are at http://127.0.0.1:") == true)
    #expect(lines.dropFirst().first?.hasPrefix("courier: the server responded with 404 ") == true)
    run.cancel()
    #expect(await run.value == 22)
  }

  @Test func quietShowsTheAddressOfTheInspector() async {
    let run = trial.start("get", "/missing", "-o", "-", "--inspect", "-q")
    await trial.errors.wait { $0.contains("404") }
    run.cancel()
    #expect(await run.value == 22)
    #expect(trial.errors.lines.count == 2)
    #expect(trial.errors.text.hasPrefix("courier: the requests are at http://127.0.0.1:"))
  }

  @Test func explainStatesTheDecisionsWithoutSecrets() async {
    trial.server.route("GET", "/old") { _ in .redirect(to: "/new?token=hidden-1") }
    trial.server.route("GET", "/new") { _ in .text("body") }
    #expect(await trial.run("get", "/old", "--explain", "-o", "-", "--bearer", "hidden-2") == 0)
    let text = trial.errors.text
    #expect(!text.contains("hidden"))
    #expect(text.contains("Authorization: <redacted>"))
    #expect(text.contains("redirect 302 to GET http://127.0.0.1:"))
  }

  @Test func transientFailuresAreTriedAgain() async {
    let first = Flag()
    trial.server.route("GET", "/a") { _ in
      first.take() ? .status(503).header("Retry-After", "0") : .text("done")
    }
    #expect(await trial.run("get", "/a", "-o", "-") == 0)
    #expect(trial.output.text == "done")
    #expect(trial.errors.text == "courier: the server responded with 503 Service Unavailable: trying again\n")
    trial.server.route("POST", "/a") { _ in .status(503) }
    #expect(await trial.run("post", "/a") == 22)
    #expect(trial.server.log.requests.filter { $0.method == "POST" }.count == 1)
  }

  @Test func timeouts() async {
    trial.server.route("GET", "/a") { _ in .never }
    #expect(await trial.run("get", "/a", "-o", "-", "--timeout", "0.2", "--retry", "0") == 28)
    #expect(
      trial.errors.lines.last?.hasSuffix(
        " sent nothing before the idle timeout: try again, or wait longer with --timeout") == true)
    #expect(await trial.run("get", "/a", "-o", "-", "--total-timeout", "0.2") == 28)
    #expect(trial.errors.lines.last == "courier: total timeout exceeded: allow more time, or try again")
    #expect(await trial.run("get", "/a", "--timeout", "soon") == 2)
  }

  #if compiler(>=6.3) && (os(macOS) || os(Linux))
  /// On one processor, output that blocks takes the only thread of tasks.
  ///
  /// In a process of its own, because the tasks of other tests would wait.
  @Test func theTotalTimeoutNeedsNoThreadOfTasks() async {
    await #expect(processExitsWith: .success) {
      await #expect(throws: Failure.self) {
        try await TotalTimeout.limit(.milliseconds(100)) {
          await withTaskGroup { group in
            for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
              group.addTask {
                // Ends also without a timeout.
                for _ in 0..<3_000 where !Task.isCancelled { usleep(1_000) }
                if !Task.isCancelled { exit(1) }
              }
            }
          }
          throw CancellationError()
        }
      }
    }
  }
  #endif

  @Test func theTotalTimeoutCoversAllRequests() async {
    let content = Data(count: 1_000_000)
    // One byte for each request of a download, and reconnections of an event stream.
    trial.server.route("GET", "/slow") { request in
      let start = request.header("Range").flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
      let response = LoopbackResponse.data(content[start...start], status: 206).header("ETag", "\"one\"")
      if start > 0 { return response.header("Content-Range", "bytes \(start)-\(start)/\(content.count)") }
      return .script([
        .text("HTTP/1.1 200 OK\r\nETag: \"one\"\r\nContent-Length: \(content.count)\r\n\r\na"), .close,
      ])
    }
    let words = ["get", "/slow", "-o", trial.path("a"), "--total-timeout", "1", "-q"]
    #expect(await trial.run(words) == 28)
    #expect(trial.errors.lines.last?.contains("total timeout exceeded: the same command continues at ") == true)
    trial.server.route("GET", "/events") { _ in
      .script([.text("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: hello\n\n"), .close])
    }
    #expect(await trial.run("events", "/events", "--total-timeout", "0.1") == 28)
  }
}
