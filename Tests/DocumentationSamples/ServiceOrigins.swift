import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

// sample: log-middleware
struct AddressLog: Middleware {
  let runsForAllOrigins = true
  let write: @Sendable (String) -> Void

  func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
    next(request).on(completion: { write("\(request)") })
  }
}
// end sample

/// The samples of Docs/Services.md about what may go to which address.
struct OriginSamples {
  private let server: LoopbackServer
  private let shopURL: URL

  init() throws {
    server = try LoopbackServer()
    server.route("*", "*") { _ in .text("here") }
    server.route("*", "/old") { _ in .redirect(to: "/new") }
    server.route("*", "/orders") { _ in .redirect(to: "/login") }
    shopURL = server.baseURL
  }

  @Test func whatAClientAddsGoesToItsOwnOrigins() throws {
    // sample: own-origins
    var configuration = NetworkClient.Configuration(baseURL: shopURL, headers: ["X-App-Key": "k"])
    configuration.trustedOrigins = [Origin(host: "images.example.com")]
    let client = NetworkClient(configuration)
    let own = try client.httpRequest(for: "/avatar?next=https://elsewhere.example/")  // X-App-Key: k
    let trusted = try client.httpRequest(for: "https://images.example.com/avatar")  // X-App-Key: k
    let other = try client.httpRequest(for: "https://elsewhere.example/avatar")  // without X-App-Key
    // end sample
    expectEqual([own, trusted, other].map { $0.headers["X-App-Key"] }, ["k", "k", nil])
  }

  @Test func middlewareThatObservesSeesAll() async throws {
    let other = try LoopbackServer()
    other.route("GET", "/a") { _ in .text("a") }
    let lines = Guarded<[String]>([])
    var configuration = NetworkClient.Configuration(baseURL: shopURL)
    configuration.middleware = [
      AddressLog { line in lines.withLock { $0.append(line) } },
      .authorization { .just(try? .bearer(token: "t")) },
    ]
    let client = NetworkClient(configuration)
    _ = try await client.enqueue(request: other.url("/a")).value()
    expectEqual(lines.withLock { $0 }, ["GET \(other.url("/a"))"])
    expectNil(other.log.requests.first?.header("Authorization"))
  }

  @Test func aRequestSaysWhatIsDoneWithRedirects() async throws {
    let client = NetworkClient(.init(baseURL: shopURL))
    // sample: redirects
    var old = Request(.get, "/old")
    old.options.redirects = .stop
    let head = try await client.exchange(request: old).value()
    print(head.statusCode, head.headers["Location"] ?? "")  // 302 /new

    var orders = Request(.get, "/orders")
    orders.options.redirects = .decide { _, proposed in
      proposed.url.path == "/login" ? .refuse(reason: "signed out") : .follow(proposed)
    }
    do {
      _ = try await client.send(orders)
    } catch {
      print(error.code == .redirectRefused, error.reason)  // true signed out
    }
    // end sample
    expectEqual(head.statusCode, 302)
    expectEqual(head.headers["Location"], "/new")
    expectEqual(server.log.requests.map(\.path), ["/old", "/orders"])
  }

  @Test func anAppNamesItsSecretFields() {
    // sample: secret-names
    HTTPHeaders.addSecretNames("X-Shop-Session")
    let headers: HTTPHeaders = ["X-Shop-Session": "1234"]
    print(headers)  // X-Shop-Session: <redacted>
    // end sample
    expectEqual("\(headers)", "X-Shop-Session: <redacted>")
  }
}
