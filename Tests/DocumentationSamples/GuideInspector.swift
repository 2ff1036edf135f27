import Foundation
import Heliograph
import HeliographInspector
import HeliographTesting
import TestSupport
import Testing

/// The inspector of the article Debug a request.
struct InspectorSamples {
  @Test func requestsAreShownInABrowser() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/lamps") { _ in .json("[1]") }
    let apiURL = server.baseURL
    // sample: inspector
    let inspector = try NetworkInspector()
    let client = NetworkClient(baseURL: apiURL) { $0.monitors = [inspector] }
    print("Requests: \(inspector.url)")
    // end sample
    _ = try await client.send("/lamps", as: [Int].self)
    let page = try await NetworkClient().send(Request(.get, RequestPath(inspector.url.absoluteString)), as: Data.self)
    expect(page.value.count > 1_000)
  }
}
