import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The samples of the article Debug a request.
struct DebuggingSamples {
  private let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("GET", "/absent") { _ in .status(404) }
  }

  /// The article shows the output of this run.
  @Test func anExplanation() async throws {
    let apiURL = server.baseURL
    let token = CurrentValue("hunter2")
    let lines = CurrentValue<[String]>([])
    let print = { @Sendable (text: String) in lines.modify { $0.append(text) } }
    let count = CurrentValue(0)
    server.route("GET", "/products") { _ in
      count.modify { $0 += 1 }
      return count.value == 1 ? .status(503) : .json("[1]")
    }
    // sample: debugging-explanation
    let client = NetworkClient(baseURL: apiURL) {
      $0.headers = ["Accept": "application/json"]
      $0.middleware = [.bearer { token.value }]
      $0.retry = Retry(limit: 2, backoff: .constant(.milliseconds(200)))
      $0.monitors = [ConsoleMonitor(level: .errors)]  // with a monitor, decisions are recorded
    }
    let response = try await client.send("/products", as: [Int].self)
    print(response.explanation)
    // end sample
    let text = try require(lines.value.first)
    expect(!text.contains("hunter2"))
    let page = try Repository.text(of: "Sources/Heliograph/Heliograph.docc/DebuggingRequests.md")
    let fence = try require(page.split(separator: "```text\n").dropFirst().first?.split(separator: "```").first)
    expectEqual(Self.steady(text), Self.steady(String(fence)))
  }

  /// The lines without what differs in each run, up to the timings, which differ among transports.
  private static func steady(_ text: String) -> [String] {
    text.split(separator: "\n").prefix { !$0.hasPrefix("Timings") }.map { line in
      let line = line.replacing(#/[0-9]+\.[0-9] ms/#, with: "T ms").replacing(#/[0-9]+ bytes/#, with: "N bytes")
      return line.replacing(#/:[0-9]+\//#, with: "/").replacing(#/request [0-9]+/#, with: "request N")
        .split(separator: " ").joined(separator: " ")
    }
  }

  // sample: debugging-log
  struct FailureLog: Monitor {
    let write: @Sendable (String) -> Void

    func observe(_ event: MonitorEvent) {
      if case .ended(let report) = event, report.error != nil { write(report.explanation) }
    }
  }
  // end sample

  @Test func aLogOfFailures() async throws {
    let lines = CurrentValue<[String]>([])
    let client = NetworkClient(baseURL: server.baseURL) {
      $0.monitors = [FailureLog { text in lines.modify { $0.append(text) } }]
    }
    _ = try? await client.value(of: "/absent", as: JSON.self)
    expectEqual(lines.value.count, 1)
    expect(lines.value[0].contains("Attribution: client"))
  }
}
