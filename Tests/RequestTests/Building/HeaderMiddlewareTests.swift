import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A middleware that sets one header field.
struct HeaderMiddlewareTests {
  @Test func setsThePresentValueForOwnOriginsOnly() async throws {
    let (server, other) = (try LoopbackServer(), try LoopbackServer())
    for server in [server, other] { server.route("GET", "/a") { .text($0.header("X-Shop-Pass") ?? "none") } }
    let token = CurrentValue<String?>(nil)
    let client = NetworkClient(baseURL: server.baseURL) {
      $0.middleware = [.header("X-Shop-Pass") { token.value }]
    }
    for value in [nil, "one", "two"] {
      token.value = value
      let text = try await client.value(of: "/a", as: String.self)
      expectEqual(text, value ?? "none")
    }
    let elsewhere = try await client.value(
      of: Request(.get, RequestPath(other.url("/a").absoluteString)), as: String.self)
    expectEqual(elsewhere, "none")
    let own = try await client.value(of: Request(.get, "/a", headers: ["X-Shop-Pass": "own"]), as: String.self)
    expectEqual(own, "own")
    expect(HTTPHeaders.secretNames.contains("x-shop-pass"))
  }

  @Test func aSignalWithoutAValueSetsNone() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/a") { .text($0.header("Authorization") ?? "none") }
    let client = NetworkClient(baseURL: server.baseURL) { $0.middleware = [.authorization { .empty }] }
    try await expectEqual(client.value(of: "/a", as: String.self), "none")
  }

  /// A request's own middleware always runs: the app has chosen it for this URL.
  @Test func asMiddlewareOfARequestItRunsForTheURLOfThatRequest() async throws {
    let (server, other) = (try LoopbackServer(), try LoopbackServer())
    other.route("GET", "/a") { .text($0.header("Authorization") ?? "none") }
    let client = NetworkClient(baseURL: server.baseURL)
    for (middleware, sent) in [
      (.bearer { "t" }, "Bearer t"), (.basic(user: "a", password: "b"), "Basic YTpi"),
      (.header("Authorization") { "own" }, "own"),
      (.authorization { .just(try? .bearer(token: "s")) }, "Bearer s"),
    ] as [(HeaderMiddleware, String)] {
      let request = Request(
        .get, RequestPath(other.url("/a").absoluteString), options: .with { $0.middleware = [middleware] })
      let text = try await client.value(of: request, as: String.self)
      expectEqual(text, sent)
    }
  }

  @Test func mayBeNoSecret() {
    _ = [.header("X-Shop-Language", isSecret: false) { "en" }] as [any Middleware]
    expect(!HTTPHeaders.secretNames.contains("x-shop-language"))
  }

  @Test func aValueThatIsNoFieldFailsTheRequest() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/a") { _ in .text("a") }
    let client = NetworkClient(baseURL: server.baseURL) { $0.middleware = [.header("X-Shop-Pass") { "a\r\nB: c" }] }
    let recorder = SignalRecorder(client.enqueue(request: "/a"))
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.code, .invalidHeader)
    expect(server.log.requests(to: "/a").isEmpty)
  }
}
