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
  @Test(arguments: ["Authorization", "cookie", "X-Api-Key"]) func secretsAreRefused(_ name: String) async throws {
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
}
