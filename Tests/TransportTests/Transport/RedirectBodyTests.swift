import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// The body of a redirect, which nobody waits for.
struct RedirectBodyTests {
  private let head = "HTTP/1.1 302 Found\r\nLocation: /new\r\n"

  private func shop(_ answer: LoopbackResponse) throws -> Shop {
    let shop = try Shop()
    shop.server.route("GET", "/old") { _ in answer }
    shop.serve("/new", "{}")
    shop.server.route("GET", "/cut") { _ in .text("cut").resetting(afterByteCount: 10) }
    return shop
  }

  private func end(_ shop: Shop, _ path: String = "/old") async -> SignalRecorder<Response<Data>, NetworkError> {
    let recorder = SignalRecorder(shop.client.exchange(request: Request(.get, RequestPath(path))))
    await recorder.waitForEnd()
    expect(recorder.violations.isEmpty)
    return recorder
  }

  /// Over `URLSession` on Linux nothing is known of a 3xx before its body has come whole.
  @Test(.enabled(if: CurlTransport.isAvailable)) func aBodyThatDoesNotComeIsNotWaitedFor() async throws {
    let shop = try shop(.script([.text(head + "Content-Length: 10\r\n\r\nabc"), .hold]))
    let recorder = await end(shop)
    expectEqual(recorder.values.map(\.statusCode), [200])
    expectEqual(recorder.values.first?.metrics?.redirectCount, 1)
    await expect(shop.server.wait { $0.openConnectionCount == 1 })
  }

  @Test(.enabled(if: CurlTransport.isAvailable)) func aBodyWithoutAnEndIsCutOff() async throws {
    let pieces = Array(repeating: LoopbackResponse.Step.bytes(Data(count: 100_000)), count: 50)
    let start: [LoopbackResponse.Step] = [
      .text(head + "Content-Length: 900000000\r\n\r\n"), .delay(.milliseconds(50)),
    ]
    let shop = try shop(.script(start + pieces + [.hold]))
    let recorder = await end(shop)
    expectEqual(recorder.values.map(\.statusCode), [200])
    let metrics = try require(recorder.values.first?.metrics)
    expectEqual(metrics.redirectCount, 1)
    // Instants go on from those of the exchange that was cut off.
    try expect(require(metrics.startedAt) >= .milliseconds(50))
  }

  @Test(
    .enabled(if: CurlTransport.isAvailable),
    arguments: [
      "Content-Length: 10\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
      "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nwrong",
    ])
  func aBodyThatBreaksDoesNotMatter(_ rest: String) async throws {
    for last in [LoopbackResponse.Step.close, .reset] {
      let shop = try shop(.script([.text(head + rest), last]))
      let recorder = await end(shop)
      expectEqual(recorder.values.map(\.statusCode), [200], "\(rest), \(last): \(recorder.events)")
      expectEqual(recorder.values.first?.metrics?.redirectCount, 1)
    }
  }

  @Test func redirectsAreCountedInTheMetricsOfAFailureToo() async throws {
    let shop = try shop(.redirect(to: "/cut"))
    let recorder = await end(shop)
    expectEqual(recorder.failure?.code, .connectionLost)
    expectEqual(recorder.failure?.metrics?.redirectCount, 1)
    let refused = try self.shop(.redirect(to: "/second"))
    refused.server.route("GET", "/second") { _ in .redirect(to: "ftp://a.example") }
    let error = try require(await end(refused).failure)
    expectEqual(error.code, .invalidRedirect)
    expectEqual(error.metrics?.redirectCount, 1)
  }
}
