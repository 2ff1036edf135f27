import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A change of the network: the connections from before it are not used again.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlChangeTests {
  /// Each would cost a timeout, and a retry would use the next one.
  @Test(arguments: [Duration.milliseconds(300), .milliseconds(2_300)])
  func oneTimeoutRetiresAllConnectionsThatWereIdleThen(_ idleTimeout: Duration) async throws {
    let server = try LoopbackServer()
    let dead = Guarded<Set<Int>>([])
    server.route("*", "/a") { request in
      dead.withLock { $0.contains(request.connection) } ? .never : .text("a")
    }
    let isOpen = Guarded(false)
    server.route("GET", "/warm") { _ in
      await until { isOpen.withLock { $0 } }
      return .text("a")
    }
    var settings = TransportSettings()
    settings.maximumConnectionIdleTime = .seconds(86_400)
    let transport = try CurlTransport(settings)
    let warm = (0..<4).map { _ in SignalRecorder(transport.send(HTTPRequest(url: server.url("/warm")))) }
    await expect(server.wait { $0.requests(to: "/warm").count == 4 })
    isOpen.withLock { $0 = true }
    for recorder in warm { await recorder.waitForEnd() }
    dead.withLock { $0 = Set(server.log.connections.map(\.id)) }
    let lost = SignalRecorder(transport.send(HTTPRequest(url: server.url("/a"), idleTimeout: idleTimeout)))
    await lost.waitForEnd()
    expectEqual(lost.failure?.code, .timedOut)
    for method in [HTTPMethod.get, .post, .get] {
      let recorder = SignalRecorder(
        transport.send(HTTPRequest(method: method, url: server.url("/a"), idleTimeout: .seconds(30))))
      await recorder.waitForEnd()
      expect(recorder.isCompleted, "\(recorder.events)")
    }
    expectEqual(server.log.requests(to: "/a").count { request in dead.withLock { $0.contains(request.connection) } }, 1)
  }
}
