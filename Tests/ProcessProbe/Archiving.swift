import Foundation
import Heliograph
import HeliographInspector
import HeliographTesting

/// Writes a HAR file of requests to a stub, as many as there is time for, until it is killed.
///
/// Arguments: the file, the maximum number of its bytes, and the number of requests in flight.
struct Archiving {
  private let file: URL
  private let limit: Int
  private let width: Int

  init(_ arguments: [String]) throws {
    file = URL(fileURLWithPath: try arguments.text(0))
    limit = try arguments.number(1)
    width = try arguments.number(2)
  }

  func run() async throws {
    let stub = StubTransport()
    let body = "[" + (0..<200).map { #"{"id":\#($0),"name":"Lamp"}"# }.joined(separator: ",") + "]"
    stub.on(.get, "/items/*", .json(body))
    // Redaction would be most of the work.
    let monitor = try HARMonitor(file: file, fileByteLimit: limit, includingSecrets: true)
    var configuration = NetworkClient.Configuration(baseURL: URL(string: "https://a.example"), transport: stub)
    configuration.monitors = [monitor]
    let client = NetworkClient(configuration)
    // Tells the test that the writes begin.
    FileHandle.standardOutput.write(Data("started\n".utf8))
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<width {
        group.addTask {
          for number in 0... { _ = try? await client.value(of: "/items/\(worker)-\(number)") }
        }
      }
    }
  }
}
