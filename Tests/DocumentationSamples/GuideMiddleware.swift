import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

// sample: middleware-filter
struct Language: RequestFilter {
  let code: String

  func filter(_ draft: inout RequestDraft) throws(NetworkError) {
    draft.query.append(ParameterPair("lang", code))
    draft.headers["Accept-Language"] = code
  }
}
// end sample

// sample: middleware-versioned
struct Versioned: Middleware {
  let version: String

  func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
    var request = request
    request.headers["X-App-Version"] = version
    return next(request).on(value: { [request] event in
      if case .head(let head) = event { print(request.url.path, head.statusCode) }
    })
  }
}
// end sample

/// The samples of the article MiddlewareAndFilters.
struct MiddlewareSamples {
  private let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("*", "*") { _ in .json("{}") }
  }

  @Test func urls() throws {
    // sample: middleware-urls
    let client = NetworkClient(baseURL: nil) {
      $0.trustedOrigins = [Origin(host: "ada.example.com")]
      $0.makeURL = { path, _ throws(NetworkError) in
        let address = path.hasPrefix("/") ? "https://ada.example.com\(path)" : path
        guard let url = URL(string: address) else { throw NetworkError(.invalidURL) }
        return url
      }
    }
    let order = try client.httpRequest(for: "/orders/7")  // https://ada.example.com/orders/7
    // end sample
    expectEqual(order.url.absoluteString, "https://ada.example.com/orders/7")
    let other = try client.httpRequest(for: "https://elsewhere.example/1.png")
    expectEqual(other.url.absoluteString, "https://elsewhere.example/1.png")
  }

  /// What the article says of a header field whose value changes.
  @Test func aFieldThatIsNoSecretLeavesResponsesCacheable() async throws {
    for (name, isSecret, count) in [("X-Version-ID", false, 1), ("X-Version-Key", true, 2)] {
      let kit = TestKit {
        $0.middleware = [.header(name, isSecret: isSecret) { UUID().uuidString }]
        $0.cachePolicy = .timeToLive(.seconds(60))
      }
      kit.stub.on(.get, "/lamps", .json("{}"))
      for _ in 1...2 { _ = try await kit.client.send("/lamps", as: JSON.self) }
      expectEqual(kit.stub.requests.count, count)
    }
  }

  @Test func filters() async throws {
    let client = NetworkClient(baseURL: server.baseURL) { $0.filters = [Language(code: "de")] }
    _ = try await client.send("/lamps")  // GET /lamps?lang=de
    expectEqual(server.log.requests.first?.target, "/lamps?lang=de")
    expectEqual(server.log.requests.first?.header("Accept-Language"), "de")
  }

  @Test func middleware() async throws {
    let client = NetworkClient(baseURL: server.baseURL) { $0.middleware = [Versioned(version: "1.2")] }
    let once = Request(.get, "/report", options: .with { $0.middleware = [Versioned(version: "2.0")] })
    _ = try await client.value(of: "/report", as: NoContent.self)
    _ = try await client.value(of: once, as: NoContent.self)
    expectEqual(server.log.requests.map { $0.header("X-App-Version") }, ["1.2", "2.0"])
  }
}
