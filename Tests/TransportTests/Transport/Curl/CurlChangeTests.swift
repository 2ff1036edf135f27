import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A change of the network: the connections from before it are not used again.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlChangeTests {
  let server: LoopbackServer
  let transport: CurlTransport

  init() throws {
    server = try LoopbackServer()
    var settings = TransportSettings()
    settings.maximumConnectionIdleTime = .seconds(86_400)
    transport = try CurlTransport(settings)
  }

  /// Makes connections, which are idle afterwards.
  private func connect(_ count: Int) async {
    let isOpen = Guarded(false)
    server.route("GET", "/warm") { _ in
      await until { isOpen.withLock { $0 } }
      return .text("a")
    }
    let warm = (0..<count).map { _ in SignalRecorder(transport.send(HTTPRequest(url: server.url("/warm")))) }
    await expect(server.wait { $0.requests(to: "/warm").count == count })
    isOpen.withLock { $0 = true }
    for recorder in warm { await recorder.waitForEnd() }
  }

  /// Each would cost a timeout, and a retry would use the next one.
  @Test(arguments: [Duration.milliseconds(300), .milliseconds(2_300)])
  func oneTimeoutRetiresAllConnectionsThatWereIdleThen(_ idleTimeout: Duration) async throws {
    let dead = Guarded<Set<Int>>([])
    server.route("*", "/a") { request in
      dead.withLock { $0.contains(request.connection) } ? .never : .text("a")
    }
    await connect(4)
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

  /// Its connection is alive, or says nothing about those from before.
  @Test(arguments: [true, false])
  func aTimeoutOnANewConnectionOrAfterTheFirstLineRetiresNone(_ isNew: Bool) async throws {
    server.route("GET", "/lost") { _ in isNew ? .never : .script([.text("HTTP/1.1 200 OK\r\n"), .hold]) }
    server.route("GET", "/a") { _ in .text("a") }
    if !isNew { await connect(2) }
    let lost = SignalRecorder(
      transport.send(HTTPRequest(url: server.url("/lost"), idleTimeout: .milliseconds(300))))
    await expect(server.wait { $0.requests(to: "/lost").count == 1 })
    if isNew { await connect(1) }
    await lost.waitForEnd()
    expectEqual(lost.failure?.code, .timedOut)
    let next = SignalRecorder(transport.send(HTTPRequest(url: server.url("/a"), idleTimeout: .seconds(30))))
    await next.waitForEnd()
    expect(next.isCompleted, "\(next.events)")
    expectEqual(server.log.acceptedCount, 2)
  }

  /// A server that was asked for a moment only need not be dead.
  @Test func aShortTimeoutRetiresNone() async throws {
    server.route("GET", "/lost") { _ in .never }
    server.route("GET", "/a") { _ in .text("a") }
    await connect(2)
    let client = NetworkClient(
      NetworkClient.Configuration(baseURL: server.baseURL, transport: transport))
    let options = RequestOptions.with { $0.totalTimeout = .milliseconds(200) }
    let lost = SignalRecorder(client.exchange(request: Request(.get, "/lost", options: options)))
    await lost.waitForEnd()
    expectEqual(lost.failure?.code, .timedOut)
    let next = SignalRecorder(transport.send(HTTPRequest(url: server.url("/a"))))
    await next.waitForEnd()
    expectEqual(server.log.acceptedCount, 2)
  }
}
