import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// The samples of the article Logging.
struct LoggingSamples {
  private let apiURL = URL(string: "https://api.example.com")
  private let stub = StubTransport()

  init() {
    stub.on(.get, "/orders", .json("[1]"))
    stub.on(.post, "/orders", .status(500))
  }

  @Test func theConsole() async throws {
    let transport = stub
    // sample: logging-console
    var configuration = NetworkClient.Configuration(baseURL: apiURL, transport: transport)
    configuration.monitors = [ConsoleMonitor(level: .headers)]
    let client = NetworkClient(configuration)
    // end sample
    _ = try await client.value(of: "/orders", as: [Int].self)
    let lines = CurrentValue<[String]>([])
    let logger = { @Sendable (line: String) in lines.modify { $0.append(line) } }
    let monitor = ConsoleMonitor(level: .errors) { logger($0) }  // such as swift-log's `logger.error("\($0)")`
    configuration.monitors = [monitor]
    _ = try? await NetworkClient(configuration).value(of: Request(.post, "/orders"), as: JSON.self)
    expectEqual(lines.value.count, 1)
  }

  @Test func curl() async throws {
    let client = NetworkClient(.init(baseURL: apiURL, transport: stub))
    var commands: [String] = []
    // sample: logging-curl
    let orders = Request(.get, "/orders", headers: ["Authorization": "Bearer secret"])
    let response = try await client.send(orders, as: [Int].self)
    commands.append(response.curlCommand ?? "")  // as it was sent, without stored cookies
    let request = try client.httpRequest(for: orders)
    commands.append(request.curlCommand)  // curl 'https://api.example.com/orders' -H 'Authorization: <redacted>'
    commands.append(request.curlCommand(includingSecrets: true))  // to run in a shell
    // end sample
    expectEqual(commands[1], "curl 'https://api.example.com/orders' -H 'Authorization: <redacted>'")
    expect(commands[2].contains("Bearer secret"))
    expect(commands[0].hasPrefix("curl 'https://api.example.com/orders'"))
  }
}
