import Foundation
import Heliograph
import HeliographTesting
import Testing

/// Servers that answer before they have read the body, and then close or reset.
@Suite(.enabled(if: CurlTransport.isAvailable && HAProxyServer.isAvailable)) struct CurlEarlyAnswerTests {
  let proxy: HAProxyServer

  init() async throws {
    proxy = try await HAProxyServer()
  }

  /// Each is sent this many times.
  private static let count = ProcessInfo.processInfo.environment["HELIOGRAPH_EARLY"].flatMap(Int.init) ?? 20

  @Test(
    arguments: CurlTLSServerTests.Way.present, [10, 100_000, 5_000_000])
  func anEarlyAnswerCountsThoughTheUploadWasCut(_ way: CurlTLSServerTests.Way, _ byteCount: Int) async throws {
    let transport = try CurlTransport(try secureSettings { $0.allowsHTTP2 = way == .http2 })
    let recorders = try (0..<Self.count).map { number in
      SignalRecorder(
        transport.send(
          HTTPRequest(
            method: .post, url: try proxy.url("/deny/\(number)", isSecure: way != .clear),
            body: .data(Data(count: byteCount)))))
    }
    var lostCount = 0
    for recorder in recorders {
      await recorder.waitForEnd()
      if recorder.values.head?.statusCode == 413, recorder.isCompleted { continue }
      lostCount += 1
      #expect(recorder.failure?.code == .connectionLost, "\(recorder.events)")
    }
    // Over HTTP/1.1 the connection may be closed in the moment between a look for an answer and the next piece.
    let isReset = way == .http2 || byteCount == 10
    #expect(isReset ? lostCount == 0 : lostCount * 2 < recorders.count, "\(lostCount) of \(recorders.count)")
  }
}
