#if HELIOGRAPH_CURL
import Foundation
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

@testable import Heliograph

/// Kept connections that a server closes on its way out: libcurl's next attempt cannot connect, and does not begin.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlReconnectTests {
  /// Sends a request on a kept connection that then ends.
  ///
  /// `leave` gets the listener before the end of the connection. Only a request without a body is read completely.
  private func outcome(
    of method: HTTPMethod, idleTimeout: Duration = .seconds(3_600), connectTimeout: Duration = .seconds(3_600),
    _ leave: @escaping @Sendable (Int32, UInt16) -> Void
  ) async throws -> SignalRecorder<TransportEvent, NetworkError> {
    let (listener, port) = try LoopbackSocket.listen(backlog: 0)
    Thread.detachNewThread {
      let client = accept(listener, nil, nil)
      if LoopbackSocket.readHead(client) != nil {
        LoopbackSocket.write(Data("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na".utf8), to: client)
        _ = LoopbackSocket.readHead(client)
      }
      leave(listener, port)
      close(client)
    }
    var settings = TransportSettings()
    settings.proxy = .direct
    settings.connectTimeout = connectTimeout
    settings.maximumConnectionIdleTime = .seconds(86_400)
    let transport = try CurlTransport(settings)
    let url = try require(URL(string: "http://127.0.0.1:\(port)/"))
    let first = SignalRecorder(transport.send(HTTPRequest(url: url, idleTimeout: .seconds(3_600))))
    await first.waitForEnd()
    expect(first.isCompleted, "\(first.events)")
    let second = SignalRecorder(transport.send(HTTPRequest(method: method, url: url, idleTimeout: idleTimeout)))
    await second.waitForEnd()
    return second
  }

  /// The server has read it, and may have processed it.
  @Test func aPostIsLostAndNotUnsent() async throws {
    let recorder = try await outcome(of: .post) { listener, port in
      close(listener)
      _ = try? LoopbackSocket.closedPort(port)
    }
    let error = try require(recorder.failure)
    expectEqual(error.code, .connectionLost)
    expect(error.reason.hasSuffix("not retried: the request is not idempotent"), "\(error.reason)")
    let metrics = try require(error.metrics)
    expect(metrics.sentAt != nil)
    expectEqual(metrics.isConnectionReused, true)
    expect(metrics.sentByteCount > 0)
  }

  @Test func aGetThatMayBeRepeatedCannotConnect() async throws {
    let recorder = try await outcome(of: .get) { listener, port in
      close(listener)
      _ = try? LoopbackSocket.closedPort(port)
    }
    let error = try require(recorder.failure)
    expectEqual(error.code, .cannotConnect)
    expectNil(error.metrics?.sentAt)
    expectNil(error.metrics?.isConnectionReused)
  }

  /// The server has not been slow, because it has not been asked, whether connecting or the exchange has its limit.
  @Test(.enabled(if: FullListener.isPossible), arguments: [true, false])
  func aTimeoutOfTheNextConnectionIsNoFaultOfTheServer(_ isIdle: Bool) async throws {
    let limit = Duration.milliseconds(500)
    try await expectInARound {
      let full = Guarded<FullListener?>(nil)
      let recorder = try await outcome(
        of: .get, idleTimeout: isIdle ? limit : .seconds(3_600), connectTimeout: isIdle ? .seconds(3_600) : limit
      ) { listener, port in full.withLock { $0 = FullListener(listener, port) } }
      let error = try require(recorder.failure)
      expectEqual(error.code, .timedOut)
      // On a busy machine the idle timeout may pass before the connection ends.
      let phase = Evidence.Phase(try require(error.metrics), of: error.request)
      return phase == .connecting && Attribution(.timedOut, Evidence(phase: phase)).party == .undetermined
    }
  }

  /// The server may have processed it before the connection was lost.
  @Test func aPostThatTimesOutWhileLibcurlReconnectsCountsAsSent() async throws {
    try await expectInARound {
      let full = Guarded<FullListener?>(nil)
      let recorder = try await outcome(of: .post, idleTimeout: .milliseconds(500), connectTimeout: .seconds(3_600)) {
        listener, port in full.withLock { $0 = FullListener(listener, port) }
      }
      let error = try require(recorder.failure)
      expect([.timedOut, .connectionLost].contains(error.code), "\(error)")
      expect(error.metrics?.sentAt != nil)
      return error.code == .timedOut
    }
  }
}
#endif
