import Foundation
import Heliograph
import HeliographInspector
import HeliographTesting
import TestSupport
import Testing

/// The samples about HAR files.
struct GuideHARSamples {
  private struct Product: Decodable, Sendable { let name: String }

  private let folder = FileManager.default.temporaryDirectory.appending(path: "heliograph-guide-\(UUID().uuidString)")

  @Test func aHARFile() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try LoopbackServer()
    server.route("GET", "/products") { _ in .json(#"[{"name":"Lamp"}]"#) }
    let apiURL = server.baseURL
    // sample: har-file
    let har = try HARMonitor(file: folder.appending(path: "traffic.har"))
    let client = NetworkClient(baseURL: apiURL) { $0.monitors = [har] }
    _ = try await client.value(of: "/products", as: [Product].self)
    await har.close()  // before the process ends; the file is complete at any time
    // end sample
    let text = try String(contentsOf: folder.appending(path: "traffic.har"), encoding: .utf8)
    expect(text.contains("Lamp"))
  }

  @Test func aMonitorThatWritesAFile() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let apiURL = try require(URL(string: "https://api.example.com"))
    // sample: har-monitor
    let har = try HARMonitor(file: folder.appending(path: "traffic.har"))
    let client = NetworkClient(baseURL: apiURL) { $0.monitors = [har] }
    // end sample
    expectEqual(client.callIDs, [])
  }
}
