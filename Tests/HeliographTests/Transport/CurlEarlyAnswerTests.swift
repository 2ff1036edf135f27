import Foundation
import Heliograph
import HeliographTesting
import Testing

/// Servers that answer before they have read the body, and then close, reset or read on.
@Suite(.enabled(if: CurlTransport.isAvailable && HAProxyServer.isAvailable && NginxServer.isAvailable))
struct CurlEarlyAnswerTests {
  enum Product: String, CaseIterable, Sendable { case haproxy, nginx }

  /// Each is sent this many times.
  private static let count = Interop.count("EARLY", default: 20)

  private func address(_ product: Product, _ way: CurlTLSServerTests.Way) async throws -> (URL, any Sendable) {
    switch product {
    case .haproxy:
      let proxy = try await HAProxyServer()
      return (try proxy.url("/denied", isSecure: way != .clear), proxy)
    case .nginx:
      let nginx = try await NginxServer()
      return (try nginx.url(way == .clear ? \.open : \.secure, "/denied"), nginx)
    }
  }

  @Test(
    arguments: Product.allCases.flatMap { product in CurlTLSServerTests.Way.present.map { (product, $0) } },
    [10, 100_000, 5_000_000])
  func anEarlyAnswerCountsThoughTheUploadWasCut(
    _ server: (product: Product, way: CurlTLSServerTests.Way), _ byteCount: Int
  ) async throws {
    let (product, way) = server
    let (url, process) = try await address(product, way)
    let transport = try CurlTransport(try secureSettings { $0.allowsHTTP2 = way == .http2 })
    let request = HTTPRequest(method: .post, url: url, body: .data(Data(count: byteCount)))
    let recorders = (0..<Self.count).map { _ in SignalRecorder(transport.send(request)) }
    var lostCount = 0
    for recorder in recorders {
      await recorder.waitForEnd(.seconds(60))
      if recorder.values.head?.statusCode == 413, recorder.isCompleted { continue }
      lostCount += 1
      #expect(recorder.failure?.code == .connectionLost, "\(recorder.events)")
    }
    // Over HTTP/1.1 HAProxy may close in the moment between a look for an answer and the next piece.
    let mayLose = product == .haproxy && way != .http2 && byteCount > 10
    #expect(mayLose ? lostCount * 2 < recorders.count : lostCount == 0, "\(lostCount) of \(recorders.count)")
    if Self.count > 20 { print("early: \(product) \(way) \(byteCount) bytes: \(lostCount) of \(recorders.count) lost") }
    withExtendedLifetime(process) {}
  }
}
