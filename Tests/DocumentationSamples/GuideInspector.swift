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
    let client = NetworkClient(baseURL: apiURL) {
      $0.retry = Retry(limit: 2)
      #if DEBUG  // also around `import HeliographInspector`
      if let inspector = try? NetworkInspector() {
        $0.monitors.append(inspector)
        print("Requests: \(inspector.url)")
      }
      #endif
    }
    // end sample
    _ = try await client.send("/lamps", as: [Int].self)
    for case let inspector as NetworkInspector in client.configuration.monitors {
      let page = try await NetworkClient().send(Request(.get, RequestPath(inspector.url.absoluteString)), as: Data.self)
      expect(page.value.count > 1_000)
    }
  }
}
