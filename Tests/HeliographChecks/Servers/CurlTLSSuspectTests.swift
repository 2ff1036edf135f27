import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// HTTP/2: a connection on which nothing arrives any more, while exchanges overlap on it.
@Suite(.enabled(if: CurlTransport.supportsHTTP2 && NginxServer.isAvailable)) struct CurlTLSSuspectTests {
  let nginx: NginxServer
  let upstream: LoopbackServer

  init() async throws {
    upstream = try LoopbackServer()
    upstream.route("GET", "/never") { _ in .never }
    nginx = try await NginxServer(upstream: upstream)
  }

  enum Timeout: CaseIterable, Sendable { case idle, total }

  private typealias Recorder = SignalRecorder<TransportEvent, NetworkError>

  private func send(
    _ transport: CurlTransport, _ path: String = "/", idle: Duration = .seconds(3_600), total: Duration? = nil
  ) throws -> Recorder {
    SignalRecorder(
      transport.send(HTTPRequest(url: try nginx.url(\.secure, path), idleTimeout: idle, totalTimeout: total)))
  }

  private func connection(_ recorder: Recorder) async throws -> String {
    await recorder.waitForEnd()
    expect(recorder.isCompleted, "\(recorder.events)")
    return try require(recorder.values.head?.headers["X-Connection"])
  }

  private func transport(through proxy: TunnelProxy) throws -> CurlTransport {
    let url = try require(URL(string: "http://127.0.0.1:\(proxy.port)"))
    return try CurlTransport(try secureSettings { $0.proxy = .server(url) })
  }

  /// Each request would join the dead connection for as long as another one is on it.
  @Test("S1-34", arguments: Timeout.allCases) func afterATimeoutRequestsAvoidADeadConnection(
    _ timeout: Timeout
  ) async throws {
    let proxy = try TunnelProxy()
    let transport = try transport(through: proxy)
    let dead = try await connection(send(transport))
    proxy.silenceTunnels()
    let waiting = try send(transport)
    let timedOut = try send(
      transport, idle: timeout == .idle ? .seconds(1) : .seconds(3_600), total: timeout == .total ? .seconds(1) : nil)
    await timedOut.waitForEnd()
    expectEqual(timedOut.failure?.code, .timedOut, "\(timedOut.events)")
    for _ in 0..<3 {
      let others = try [send(transport), send(transport)]
      for other in others { expect(try await connection(other) != dead) }
    }
    // The exchange on it is left alone until its own timeout, and ends the connection.
    expect(!waiting.hasEnded)
    let (madeCount, openCount) = (proxy.heads.count, proxy.openCount)
    expectEqual(openCount, madeCount)
    waiting.dispose()
    await until { proxy.openCount == openCount - 1 }
    // Nothing is suspect any more, so connections are shared again.
    let others = try (0..<5).map { _ in try send(transport) }
    var connections: Set<String> = []
    for other in others { connections.insert(try await connection(other)) }
    expectEqual(connections.count, 1)
    expectEqual(proxy.heads.count, madeCount)
  }

  /// Requests that overlap all the time: each that begins after the first timeout gets a response.
  @Test func constantTrafficGetsOffADeadConnection() async throws {
    let proxy = try TunnelProxy()
    let transport = try transport(through: proxy)
    _ = try await connection(send(transport))
    proxy.silenceTunnels()
    let first = try send(transport, idle: .seconds(2))
    var recorders: [Recorder] = [first]
    while !first.hasEnded {
      recorders.append(try send(transport, idle: .seconds(2)))
      // sleeps: the rhythm of the requests.
      try await Task.sleep(for: .milliseconds(100))
    }
    for _ in 0..<30 { _ = try await connection(send(transport)) }
    for recorder in recorders { await recorder.waitForEnd() }
    // The last one may have been sent after the first timeout.
    expect(recorders.dropLast().allSatisfy { $0.failure?.code == .timedOut })
    await until { proxy.openCount == proxy.heads.count - 1 }
    let madeCount = proxy.heads.count
    _ = try await connection(send(transport))
    expectEqual(proxy.heads.count, madeCount)
  }

  /// A slow response is no sign that the connection is dead.
  @Test func aConnectionOnWhichSomethingArrivesIsNotAvoided() async throws {
    upstream.route("GET", "/slow") { _ in
      .chunked(Array(repeating: Data(repeating: 0x61, count: 10), count: 100_000), every: .milliseconds(10))
    }
    try await expectInARound {
      let count = upstream.log.requests.count
      let transport = try CurlTransport(try secureSettings())
      let common = try await connection(send(transport))
      let slow = try send(transport, "/upstream/slow")
      await slow.wait { $0.count > 2 }
      let timedOut = try send(transport, "/upstream/never", idle: .seconds(1))
      await timedOut.waitForEnd()
      expectEqual(timedOut.failure?.code, .timedOut)
      expect(!slow.hasEnded)
      var connections = [try await connection(send(transport))]
      // So is what an exchange has received that has ended meanwhile.
      let waiting = try send(transport, "/upstream/never")
      let second = try send(transport, "/upstream/never", idle: .seconds(1))
      await until { upstream.log.requests.count == count + 4 || second.hasEnded }
      slow.dispose()
      connections.append(try await connection(send(transport)))
      await second.waitForEnd()
      expectEqual(second.failure?.code, .timedOut)
      connections.append(try await connection(send(transport)))
      expect(!waiting.hasEnded)
      waiting.dispose()
      // On a busy machine nothing may have arrived for a second.
      return connections.allSatisfy { $0 == common }
    }
  }

  /// What comes late shows that the connection lives.
  @Test func aSuspectConnectionOnWhichSomethingArrivesIsUsedAgain() async throws {
    upstream.route("POST", "/late") { request in .data(request.body) }
    let (isReady, pieces) = (CurrentValue(false), Log<Data>())
    let body = BodyStream {
      {
        if pieces.count > 0 { return .empty }
        return Signal { observer in
          isReady.signal.subscribe {
            guard case .value(true) = $0 else { return }
            pieces.add(Data("late".utf8))
            observer.complete(with: Data("late".utf8))
          }
        }
      }
    }
    let transport = try CurlTransport(try secureSettings())
    let common = try await connection(send(transport))
    let late = SignalRecorder(
      transport.send(HTTPRequest(method: .post, url: try nginx.url(\.secure, "/upstream/late"), body: .stream(body))))
    let timedOut = try send(transport, "/upstream/never", idle: .seconds(1))
    await timedOut.waitForEnd()
    expectEqual(timedOut.failure?.code, .timedOut)
    expect(try await connection(send(transport)) != common)
    isReady.value = true
    expectEqual(try await connection(late), common)
    expectEqual(try await connection(send(transport)), common)
  }
}
