import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a `URLSessionConfiguration` of the caller's may hold.
struct SessionSettingsTests {
  private func outcome(
    _ headers: [AnyHashable: Any], _ server: LoopbackServer
  ) async throws -> SignalRecorder<TransportEvent, NetworkError> {
    let configuration = URLSessionConfiguration.default
    configuration.httpAdditionalHeaders = headers
    let transport = URLSessionTransport(configuration: configuration)
    let recorder = SignalRecorder(transport.send(HTTPRequest(url: server.url("/a"))))
    await recorder.waitForEnd()
    return recorder
  }

  /// The session would add them to every hop, and nobody could take them out again.
  @Test(arguments: ["Authorization", "cookie", "X-Api-Key", "token", "X-Session", "X-Functions-Key"])
  func secretsAreRefused(_ name: String) async throws {
    let server = try LoopbackServer()
    let recorder = try await outcome([name: "secret-value", "X-App": "1"], server)
    expectEqual(recorder.failure?.code, .invalidTransport)
    expectEqual(recorder.failure?.reason.contains(name), true)
    expectEqual(recorder.failure.map { "\($0)".contains("secret-value") }, false)
    expectEqual(server.log.acceptedCount, 0)
  }

  @Test func otherFieldsAreSent() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/a") { request in .text(request.header("X-App") ?? "none") }
    let recorder = try await outcome(["X-App": "1"], server)
    expectEqual(recorder.values.body, Data("1".utf8))
  }

  /// On Linux the session would stop the process.
  @Test func fieldsThatAreNoTextsAreRefused() async throws {
    let server = try LoopbackServer()
    let wrong: [[AnyHashable: Any]] = [["X-Count": 1], ["X-App": "1", "X-Date": Date()], [1: "one"]]
    for headers in wrong {
      let recorder = try await outcome(headers, server)
      expectEqual(recorder.failure?.code, .invalidTransport)
    }
    expectEqual(server.log.acceptedCount, 0)
  }

  /// On Linux the session would fail it after its own second, without a look at the request.
  @Test func theIdleTimeoutOfTheRequestReplacesThatOfTheSession() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/a") { _ in .text("1").delayed(by: .milliseconds(1500)) }
    let configuration = URLSessionConfiguration.default
    configuration.timeoutIntervalForRequest = 1
    let transport = URLSessionTransport(configuration: configuration)
    let recorder = SignalRecorder(
      transport.send(HTTPRequest(url: server.url("/a"), idleTimeout: .seconds(3600))))
    await recorder.waitForEnd()
    expectEqual(recorder.values.body, Data("1".utf8))
    expectNil(recorder.failure)
  }

  @Test func aConfigurationStoresNothing() {
    let configuration = URLSessionConfiguration.default
    configuration.storeNothing()
    expect(configuration.urlCache == nil && configuration.urlCredentialStorage == nil)
    expect(configuration.httpCookieStorage == nil && !configuration.httpShouldSetCookies)
    expectEqual(configuration.httpCookieAcceptPolicy, .never)
    expectEqual(configuration.requestCachePolicy, .reloadIgnoringLocalCacheData)
  }

  /// They would answer for the client: a response without a request, a cookie, and a password for a challenge.
  @Test func theStoresOfAConfigurationAreNotUsed() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/a") { request in
      .text(request.header("Cookie") ?? "none").header("Cache-Control", "max-age=60").header("Set-Cookie", "s=1")
    }
    server.route("GET", "/secret") { _ in .status(401).header("WWW-Authenticate", "Basic realm=\"r\"") }
    let configuration = URLSessionConfiguration.default
    configuration.urlCache = URLCache(memoryCapacity: 1_000_000, diskCapacity: 0, diskPath: nil)
    configuration.httpCookieStorage = try .inMemory
    let passwords = URLCredentialStorage()
    let space = URLProtectionSpace(
      host: "127.0.0.1", port: try require(server.baseURL.port), protocol: "http", realm: "r",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    passwords.setDefaultCredential(URLCredential(user: "ada", password: "p", persistence: .forSession), for: space)
    configuration.urlCredentialStorage = passwords
    let transport = URLSessionTransport(configuration: configuration)
    for path in ["/a", "/a", "/secret"] {
      let recorder = SignalRecorder(transport.send(HTTPRequest(url: server.url(path))))
      await recorder.waitForEnd()
      expectEqual(recorder.values.head?.statusCode, path == "/a" ? 200 : 401)
      expectEqual(recorder.values.body, Data((path == "/a" ? "none" : "").utf8))
    }
    expectEqual(server.log.requests.map(\.path), ["/a", "/a", "/secret"])
    expect(server.log.requests.allSatisfy { $0.header("Authorization") == nil })
  }

  /// The session's own default is 6.
  @Test func aHostHas64ConnectionsUnlessTheConfigurationSaysOtherwise() async throws {
    let server = try LoopbackServer()
    server.route("GET", "/held") { _ in .never }
    let transport = URLSessionTransport()
    let held = (0..<20).map { _ in SignalRecorder(transport.send(HTTPRequest(url: server.url("/held")))) }
    await expect(server.wait { $0.requests.count == 20 })
    for recorder in held { recorder.dispose() }
    let single = try LoopbackServer()
    single.route("GET", "/a") { _ in .text("1").delayed(by: .milliseconds(50)) }
    let configuration = URLSessionConfiguration.default
    configuration.httpMaximumConnectionsPerHost = 1
    let own = URLSessionTransport(configuration: configuration)
    let recorders = (0..<5).map { _ in SignalRecorder(own.send(HTTPRequest(url: single.url("/a")))) }
    for recorder in recorders {
      await recorder.waitForEnd()
      expectEqual(recorder.values.body, Data("1".utf8))
    }
    // The Foundation of Swift 6.1 on Linux does not ask for it.
    #if compiler(>=6.2) || canImport(Darwin)
    expectEqual(single.log.acceptedCount, 1)
    #endif
  }
}
