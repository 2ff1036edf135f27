import Foundation
import Heliograph
import HeliographTesting
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
      let recorder = SignalRecorder(client.enqueue(request: nginx.address(\.secure)))
      await recorder.waitForEnd()
      let elapsed = ContinuousClock.now - start
      let metrics = try #require(recorder.values.first?.metrics, "\(recorder.events)")
      #expect(metrics.isConnectionReused == isReused)
      #expect(metrics.protocolVersion == (isHTTP2 ? "HTTP/2" : "HTTP/1.1"))
      #expect(metrics.resendCount == 0 && metrics.redirectCount == 0)
      let startedAt = try #require(metrics.startedAt)
      let sentAt = try #require(metrics.sentAt)
      let firstByteAt = try #require(metrics.firstByteAt)
      #expect(.zero <= startedAt && startedAt <= sentAt && sentAt <= firstByteAt)
      #expect(firstByteAt <= metrics.endedAt && metrics.endedAt <= elapsed)
      if isReused {
        #expect(metrics.securedAt == nil)
      } else {
        let resolvedAt = try #require(metrics.resolvedAt)
        let connectedAt = try #require(metrics.connectedAt)
        let securedAt = try #require(metrics.securedAt)
        #expect(startedAt <= resolvedAt && resolvedAt <= connectedAt)
        #expect(connectedAt < securedAt && securedAt <= sentAt)
      }
    }
  }

  @Test("S1-12") func inTheClearNothingIsSecured() async throws {
    let recorder = try await record(nginx.address(\.plain))
    let metrics = try #require(recorder.values.first?.metrics, "\(recorder.events)")
    #expect(metrics.securedAt == nil)
    #expect(metrics.connectedAt != nil)
    #expect(metrics.protocolVersion == "HTTP/1.1")
  }

  @Test("S1-12", arguments: [true, false]) func bytesEachWayAreCounted(_ allowsHTTP2: Bool) async throws {
    let body = CurlTLSStreamsTests.large.prefix(500_000)
    let client = try secureClient { $0.allowsHTTP2 = allowsHTTP2 }
    let address = nginx.address(\.secure, "/files/counted")
    let sent = SignalRecorder(client.enqueue(request: Request(.put, address, body: .data(body, contentType: "a/b"))))
    await sent.waitForEnd()
    let upload = try #require(sent.values.first?.metrics, "\(sent.events)")
    #expect(upload.sentByteCount > 500_000 && upload.sentByteCount < 502_000)
    #expect(upload.receivedByteCount > 0 && upload.receivedByteCount < 2_000)
    let fetched = SignalRecorder(client.enqueue(request: address))
    await fetched.waitForEnd()
    let download = try #require(fetched.values.first?.metrics)
    #expect(download.sentByteCount > 0 && download.sentByteCount < 2_000)
    #expect(download.receivedByteCount > 500_000 && download.receivedByteCount < 502_000)
  }

  @Test("S1-12") func failuresHaveACostToo() async throws {
    // Nobody listens there, and no other test is given it.
    let refused = try await record("https://127.0.0.1:1/")
    #expect(refused.failure?.code == .cannotConnect)
    let metrics = try #require(refused.failure?.metrics)
    #expect(metrics.endedAt > .zero && metrics.startedAt != nil)
    #expect(metrics.connectedAt == nil && metrics.securedAt == nil && metrics.sentAt == nil)
    #expect(metrics.firstByteAt == nil && metrics.isConnectionReused == nil && metrics.protocolVersion == nil)
    #expect(metrics.sentByteCount == 0 && metrics.receivedByteCount == 0)

    let untrusted = try await record(nginx.address(\.foreign))
    let half = try #require(untrusted.failure?.metrics)
    // When a connection was made that never became secure, only some versions of libcurl tell.
    #expect(half.startedAt != nil)
    #expect(half.securedAt == nil && half.sentAt == nil && half.firstByteAt == nil)
  }

  /// What `URLSession` tells; on Linux that is neither the connection nor its phases.
  @Test("S1-12") func theSystemsSessionTellsWhatItCan() async throws {
    let client = NetworkClient(.init(transport: URLSessionTransport()))
    let body = Data(count: 100_000)
    try nginx.serve("zeros", body)
    let recorder = SignalRecorder(client.enqueue(request: nginx.address(\.plain, "/files/zeros")))
    await recorder.waitForEnd()
    let metrics = try #require(recorder.values.first?.metrics, "\(recorder.events)")
    let startedAt = try #require(metrics.startedAt)
    let firstByteAt = try #require(metrics.firstByteAt)
    #expect(startedAt <= firstByteAt && firstByteAt <= metrics.endedAt)
    #expect(metrics.receivedByteCount >= body.count)
    let sent = SignalRecorder(
      client.enqueue(
        request: Request(.put, nginx.address(\.plain, "/files/up"), body: .data(body, contentType: "a/b"))))
    await sent.waitForEnd()
    #expect((sent.values.first?.metrics?.sentByteCount ?? 0) >= body.count, "\(sent.events)")
  }
}
