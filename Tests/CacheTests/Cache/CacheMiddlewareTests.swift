import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// Responses to requests that middleware sends in another way than the cache has seen.
struct CacheMiddlewareTests {
  private let kit = TestKit { $0.retry = .never }

  private struct Redirecting: Middleware {
    let policy: RedirectPolicy

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      var request = request
      request.redirects = policy
      return next(request)
    }
  }

  private struct Adding: Middleware {
    let name: String
    let user: CurrentValue<String>

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      var request = request
      request.headers[name] = user.value
      return next(request)
    }
  }

  private final class Notices: Monitor {
    let texts = Guarded<[String]>([])

    func observe(_ event: MonitorEvent) {
      if case .cache(_, .notStored(let reason)) = event { texts.withLock { $0.append(reason) } }
    }
  }

  private struct Repeating: Middleware {
    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      next(request).retry(1)
    }
  }

  private struct Responding: Middleware {
    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      Signal { observer in
        observer.send(
          .head(HTTPResponse(statusCode: 200, headers: ["Cache-Control": "max-age=600"], url: request.url)))
        observer.send(.body(Data("middleware".utf8)))
        observer.complete()
        return nil
      }
    }
  }

  private struct FallingBack: Middleware {
    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      next(request).catch { _ in Responding().intercept(request, next: next) }
    }
  }

  private func request(_ path: RequestPath, _ middleware: (any Middleware)? = nil) -> Request {
    var request = Request(.get, path, cache: .http)
    if let middleware { request.options.middleware = [middleware] }
    return request
  }

  private func value(_ request: Request) async throws -> String {
    try await kit.client.value(of: request, as: String.self)
  }

  /// The key says whether redirects are followed.
  @Test func aRedirectThatMiddlewareDeliversIsNotStoredForOthers() async throws {
    kit.stub.on(.get, "/old", .status(301, headers: ["Location": "/new", "Cache-Control": "max-age=600"]))
    kit.stub.on(.get, "/new", .text("new"))
    await #expect(throws: NetworkError.self) { try await value(request("/old", Redirecting(policy: .stop))) }
    try await expectEqual(value(request("/old")), "new")
    let decided = Redirecting(policy: .decide { _, proposed in .follow(proposed) })
    try await expectEqual(value(request("/old", decided)), "new")
  }

  @Test(arguments: ["Authorization", "token", "X-User-Token"])
  func aResponseToACredentialOfMiddlewareIsNotStoredWithoutAccounts(_ name: String) async throws {
    let (user, notices) = (CurrentValue("ada"), Notices())
    let kit = TestKit {
      $0.middleware = [Adding(name: name, user: user)]
      $0.monitors = [notices]
    }
    kit.stub.on(.get, "/me") { .text($0.headers[name] ?? "nobody") }
    for name in ["ada", "bob"] {
      user.value = name
      try await expectEqual(kit.client.value(of: Request(.get, "/me", cache: .http), as: String.self), name)
    }
    let reason = "middleware has added credentials (\(name.lowercased())), and the client has no accounts"
    expectEqual(notices.texts.withLock { $0 }, [reason])
  }

  @Test func aResponseToAnotherFieldOfMiddlewareIsStored() async throws {
    let kit = TestKit { $0.middleware = [Adding(name: "X-Request-ID", user: CurrentValue("1"))] }
    kit.stub.on(.get, "/me", .text("a"), .text("b"))
    let request = Request(.get, "/me", cache: .timeToLive(.seconds(60)))
    for _ in 1...2 { try await expectEqual(kit.client.value(of: request, as: String.self), "a") }
  }

  /// The cache does not know to which request, and with which credentials, it is a response.
  @Test(arguments: [CachePolicy.http, .timeToLive(.seconds(600))])
  func aResponseOfMiddlewareItselfIsNotStored(_ policy: CachePolicy) async throws {
    let notices = Notices()
    let kit = TestKit {
      $0.monitors = [notices]
      $0.account = CurrentValue("ada")
    }
    kit.stub.on(.get, "/a", .text("server", headers: ["Cache-Control": "max-age=600"]))
    let request = Request(.get, "/a", cache: policy)
    var responding = request
    responding.options.middleware = [Responding()]
    for _ in 1...2 { try await expectEqual(kit.client.value(of: responding, as: String.self), "middleware") }
    expectEqual(Set(notices.texts.withLock { $0 }), ["middleware has responded itself"])
    for _ in 1...2 { try await expectEqual(kit.client.value(of: request, as: String.self), "server") }
    expectEqual(kit.stub.requests.count, 1)
  }

  /// The failure may come after a redirect.
  @Test(arguments: [CachePolicy.http, .timeToLive(.seconds(600))], [false, true])
  func aFallbackOfMiddlewareIsNotStored(_ policy: CachePolicy, isCoalesced: Bool) async throws {
    let redirect = StubAnswer.status(302, headers: ["Location": "/a", "Cache-Control": "max-age=600"])
    kit.stub.on(.get, "/old", redirect)
    for path in ["/a", "/old"] as [RequestPath] {
      kit.stub.on(.get, "/a", .failure(NetworkError(.connectionLost)), .text("server"))
      var request = Request(.get, path, cache: policy)
      request.options.isCoalesced = isCoalesced
      var fallingBack = request
      fallingBack.options.middleware = [FallingBack()]
      try await expectEqual(value(fallingBack), "middleware")
      try await expectEqual(value(request), "server")
    }
  }

  /// It tells nothing about the response of the server, which may be delivered after an error.
  @Test func aResponseOfMiddlewareItselfLeavesTheStoredOne() async throws {
    let headers: HTTPHeaders = ["Cache-Control": "max-age=1, stale-if-error=600", "ETag": "\"1\""]
    kit.stub.on(.get, "/a", .text("server", headers: headers), .status(503))
    try await expectEqual(value(request("/a")), "server")
    await kit.clock.advance(by: .seconds(2))
    try await expectEqual(value(request("/a", Responding())), "middleware")
    try await expectEqual(value(request("/a")), "server")
    expectEqual(kit.stub.requests.count, 2)
  }

  /// Below the cache, an answer to a challenge is sent for the current user.
  @Test(arguments: [CachePolicy.http, .timeToLive(.seconds(600))], [false, true])
  func aResponseToDigestCredentialsIsNotStoredWithoutAccounts(_ policy: CachePolicy, isCoalesced: Bool) async throws {
    let user = CurrentValue("ada")
    let origin = try require(Origin(host: "api.example.com"))
    let kit = TestKit {
      $0.transport = DigestTransport($0.transport, origins: [origin]) { (user: user.value, password: "sesame") }
    }
    kit.stub.on(.get, "/me") { request in
      guard let answer = request.headers["Authorization"] else {
        return .status(401, headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n", qop="auth""#])
      }
      return .text(answer.contains("bob") ? "bob" : "ada", headers: ["Cache-Control": "max-age=600"])
    }
    var request = Request(.get, "/me", cache: policy)
    request.options.isCoalesced = isCoalesced
    for name in ["ada", "bob", "ada"] {
      user.value = name
      try await expectEqual(kit.client.value(of: request, as: String.self), name)
    }
  }

  /// The redirect was decided for the user, though its target asks for no credentials and a breaker stands between.
  @Test func aResponseAfterAnAuthenticatedRedirectIsNotStoredWithoutAccounts() async throws {
    let user = CurrentValue("ada")
    let origin = try require(Origin(host: "api.example.com"))
    let kit = TestKit {
      let digest = DigestTransport($0.transport, origins: [origin]) { (user: user.value, password: "sesame") }
      $0.transport = CircuitBreaker(digest, scheduler: VirtualScheduler())
    }
    kit.stub.on(.get, "/me") { request in
      guard let answer = request.headers["Authorization"] else {
        return .status(401, headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n", qop="auth""#])
      }
      return .status(302, headers: ["Location": answer.contains("bob") ? "//cdn.example/bob" : "//cdn.example/ada"])
    }
    kit.stub.on(.get, "/ada", .text("ada"))
    kit.stub.on(.get, "/bob", .text("bob"))
    for name in ["ada", "bob", "ada"] {
      user.value = name
      let request = Request(.get, "/me", cache: .timeToLive(.seconds(600)))
      try await expectEqual(kit.client.value(of: request, as: String.self), name)
    }
  }

  /// What a request has met that was sent again does not count.
  @Test func theRedirectsOfAFailedTryAreForgotten() async throws {
    kit.stub.on(
      .get, "/a", .status(302, headers: ["Location": "/b"]), .text("a", headers: ["Cache-Control": "max-age=600"]))
    kit.stub.on(.get, "/b", .failure(NetworkError(.connectionLost)))
    try await expectEqual(value(request("/a", Repeating())), "a")
    try await expectEqual(value(request("/a")), "a")
    expectEqual(kit.stub.requests.map(\.url.path), ["/a", "/b", "/a"])
  }
}
