import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// What is told of an exchange's cost.
@Suite(.enabled(if: CurlTransport.isAvailable && NginxServer.isAvailable)) struct CurlTLSMetricsTests {
  let nginx: NginxServer

  init() async throws {
    nginx = try await NginxServer()
  }

  @Test("S1-12", arguments: [true, false]) func instantsAreInOrder(_ allowsHTTP2: Bool) async throws {
    let client = try secureClient { $0.allowsHTTP2 = allowsHTTP2 }
    let isHTTP2 = allowsHTTP2 && CurlTransport.supportsHTTP2
    for isReused in [false, true, true] {
      let start = ContinuousClock.now
      let recorder = SignalRecorder(client.exchange(request: Request(.get, RequestPath(nginx.address(\.secure)))))
      await recorder.waitForEnd()
      let elapsed = ContinuousClock.now - start
      let metrics = try require(recorder.values.first?.metrics, "\(recorder.events)")
      expectEqual(metrics.isConnectionReused, isReused)
      expectEqual(metrics.protocolVersion, (isHTTP2 ? "HTTP/2" : "HTTP/1.1"))
      expectEqual(metrics.resendCount, 0)
      expectEqual(metrics.redirectCount, 0)
      let startedAt = try require(metrics.startedAt)
      let sentAt = try require(metrics.sentAt)
      let firstByteAt = try require(metrics.firstByteAt)
      expect(.zero <= startedAt)
      expect(startedAt <= sentAt)
      expect(sentAt <= firstByteAt)
      expect(firstByteAt <= metrics.endedAt)
      expect(metrics.endedAt <= elapsed)
      if isReused {
        expectNil(metrics.securedAt)
      } else {
        let resolvedAt = try require(metrics.resolvedAt)
        let connectedAt = try require(metrics.connectedAt)
        let securedAt = try require(metrics.securedAt)
        expect(startedAt <= resolvedAt)
        expect(resolvedAt <= connectedAt)
        expect(connectedAt < securedAt)
        expect(securedAt <= sentAt)
      }
    }
  }

  @Test("S1-12") func inTheClearNothingIsSecured() async throws {
    let recorder = try await record(nginx.address(\.plain))
    let metrics = try require(recorder.values.first?.metrics, "\(recorder.events)")
    expectNil(metrics.securedAt)
    expect(metrics.connectedAt != nil)
    expectEqual(metrics.protocolVersion, "HTTP/1.1")
  }

  @Test("S1-12", arguments: [true, false]) func bytesEachWayAreCounted(_ allowsHTTP2: Bool) async throws {
    let body = CurlTLSStreamsTests.large.prefix(500_000)
    let client = try secureClient { $0.allowsHTTP2 = allowsHTTP2 }
    let address = nginx.address(\.secure, "/files/counted")
    let sent = SignalRecorder(
      client.exchange(request: Request(.put, RequestPath(address), body: .data(body, contentType: "a/b"))))
    await sent.waitForEnd()
    let upload = try require(sent.values.first?.metrics, "\(sent.events)")
    expect(upload.sentByteCount > 500_000)
    expect(upload.sentByteCount < 502_000)
    expect(upload.receivedByteCount > 0)
    expect(upload.receivedByteCount < 2_000)
    let fetched = SignalRecorder(client.exchange(request: Request(.get, RequestPath(address))))
    await fetched.waitForEnd()
    let download = try require(fetched.values.first?.metrics)
    expect(download.sentByteCount > 0)
    expect(download.sentByteCount < 2_000)
    expect(download.receivedByteCount > 500_000)
    expect(download.receivedByteCount < 502_000)
  }

  @Test("S1-12") func failuresHaveACostToo() async throws {
    // Nobody listens there, and no other test is given it.
    let refused = try await record("https://127.0.0.1:1/")
    expectEqual(refused.failure?.code, .cannotConnect)
    let metrics = try require(refused.failure?.metrics)
    expect(metrics.endedAt > .zero)
    expect(metrics.startedAt != nil)
    expectNil(metrics.connectedAt)
    expectNil(metrics.securedAt)
    expectNil(metrics.sentAt)
    expectNil(metrics.firstByteAt)
    expectNil(metrics.isConnectionReused)
    expectNil(metrics.protocolVersion)
    expectEqual(metrics.sentByteCount, 0)
    expectEqual(metrics.receivedByteCount, 0)

    let untrusted = try await record(nginx.address(\.foreign))
    let half = try require(untrusted.failure?.metrics)
    // When a connection was made that never became secure, only some versions of libcurl tell.
    expect(half.startedAt != nil)
    expectNil(half.securedAt)
    expectNil(half.sentAt)
    expectNil(half.firstByteAt)
  }

  /// What `URLSession` tells; on Linux that is neither the connection nor its phases.
  @Test("S1-12") func theSystemsSessionTellsWhatItCan() async throws {
    let client = NetworkClient(.init(transport: URLSessionTransport()))
    let body = Data(count: 100_000)
    try nginx.serve("zeros", body)
    let recorder = SignalRecorder(
      client.exchange(request: Request(.get, RequestPath(nginx.address(\.plain, "/files/zeros")))))
    await recorder.waitForEnd()
    let metrics = try require(recorder.values.first?.metrics, "\(recorder.events)")
    let startedAt = try require(metrics.startedAt)
    let firstByteAt = try require(metrics.firstByteAt)
    expect(startedAt <= firstByteAt)
    expect(firstByteAt <= metrics.endedAt)
    expect(metrics.receivedByteCount >= body.count)
    let sent = SignalRecorder(
      client.enqueue(
        request: Request(.put, RequestPath(nginx.address(\.plain, "/files/up")), body: .data(body, contentType: "a/b")))
    )
    await sent.waitForEnd()
    expect((sent.values.first?.metrics?.sentByteCount ?? 0) >= body.count, "\(sent.events)")
  }
}
