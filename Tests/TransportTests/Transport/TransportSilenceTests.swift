import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Each exchange ends by its own timeout, however many there are, over each transport there is.
struct TransportSilenceTests {
  private let server: LoopbackServer

  init() throws {
    server = try LoopbackServer()
    server.route("GET", "/stuck") { _ in .never }
    server.route("GET", "/drip") { _ in
      .script([.text("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n")] + Self.drops + [.hold])
    }
  }

  /// A second of them; on a busy machine it is more.
  private static let drops = (0..<10).flatMap { _ in [LoopbackResponse.Step.delay(.milliseconds(100)), .text("a")] }

  private func recorder(
    _ transport: any Transport, _ path: String, _ idleTimeout: Duration
  ) -> SignalRecorder<TransportEvent, NetworkError> {
    SignalRecorder(transport.send(HTTPRequest(url: server.url(path), idleTimeout: idleTimeout)))
  }

  @Test(arguments: TransportKind.present) func aShortOneEndsBesideALongOneAndSoDoesTheNext(_ kind: TransportKind)
    async throws
  {
    let transport = try kind.transport()
    let long = recorder(transport, "/stuck", .seconds(3600))
    // The second comes when the watch has been woken already.
    for _ in 0..<2 {
      let short = recorder(transport, "/stuck", .milliseconds(100))
      await short.waitForEnd()
      expectEqual(short.failure?.code, .timedOut)
      expect(short.violations.isEmpty)
      expect(short.values.isEmpty)
      expectEqual((short.failure?.metrics?.endedAt).map { $0 >= .milliseconds(100) }, true)
    }
    expect(long.events.isEmpty)
    // What has timed out is cancelled, and what has not is still there.
    await expect(server.wait { $0.openConnectionCount == 1 })
    long.dispose()
    await expect(server.wait { $0.openConnectionCount == 0 })
  }

  @Test(arguments: TransportKind.present) func whatStillComesPutsItOff(_ kind: TransportKind) async throws {
    let transport = try kind.transport()
    await expectInARound {
      let recorder = recorder(transport, "/drip", .seconds(1))
      await recorder.waitForEnd()
      expectEqual(recorder.failure?.code, .timedOut)
      let body = recorder.values.reduce(0) { if case .body(let data) = $1 { $0 + data.count } else { $0 } }
      // The silence is counted from the last drop, before each of which there was a tenth of a second.
      expectEqual((recorder.failure?.metrics?.endedAt).map { $0 >= .seconds(1) + .milliseconds(100) * body }, true)
      // On a busy machine the first drop may be too late.
      return body > 0
    }
  }

  @Test(arguments: TransportKind.present, [Duration.seconds(1 << 40), .seconds(Int64.max)])
  func itMayBeLongerThanAnyTimerAllows(_ kind: TransportKind, _ idleTimeout: Duration) async throws {
    server.route("GET", "/soon") { _ in .text("1") }
    let recorder = recorder(try kind.transport(), "/soon", idleTimeout)
    await recorder.waitForEnd()
    expectEqual(recorder.values.body, Data("1".utf8))
  }
}
