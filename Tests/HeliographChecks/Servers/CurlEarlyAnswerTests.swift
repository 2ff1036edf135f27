import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Servers that answer before they have read the body, and then close, reset or read on.
@Suite(.enabled(if: CurlTransport.isAvailable)) struct CurlEarlyAnswerTests {
  /// Each is sent this many times.
  private static let count = Scale.count(20)

  @Test(arguments: InteropWay.full.filter { $0.transport == .curl }, [10, 100_000, 5_000_000])
  func anEarlyAnswerCountsThoughTheUploadWasCut(_ way: InteropWay, _ byteCount: Int) async throws {
    let site = try await InteropSite(way)
    let body = RequestBody.data(Data(count: byteCount), contentType: "application/octet-stream")
    let recorders = (0..<Self.count).map { _ in
      SignalRecorder(site.client.exchange(request: Request(.post, "/denied", body: body)))
    }
    var lostCount = 0
    for recorder in recorders {
      await recorder.waitForEnd()
      if recorder.values.first?.statusCode == 413 { continue }
      lostCount += 1
      expectEqual(recorder.failure?.code, .connectionLost, "\(recorder.events)")
    }
    // Over HTTP/1.1 HAProxy may close in the moment between a look for an answer and the next piece.
    let mayLose = way.product == .haproxy && way.version != .http2 && byteCount > 10
    expect(mayLose ? lostCount * 2 < recorders.count : lostCount == 0, "\(lostCount) of \(recorders.count)")
    if Self.count > 20 { print("early: \(way), \(byteCount) bytes: \(lostCount) of \(recorders.count) lost") }
  }

  /// The source has sent something, and has nothing more to send.
  @Test(arguments: InteropWay.full.filter { $0.transport == .curl })
  func anEarlyAnswerEndsAnUploadWhoseSourceIsSilent(_ way: InteropWay) async throws {
    let site = try await InteropSite(way)
    let stream = BodyStream(byteCount: 1000) {
      let count = Guarded(0)
      return {
        let isFirst = count.withLock { count in
          count += 1
          return count == 1
        }
        return isFirst ? .just(Data(count: 10)) : .never
      }
    }
    let body = RequestBody.stream(stream, contentType: "application/octet-stream")
    let recorder = SignalRecorder(site.client.exchange(request: Request(.post, "/denied", body: body)))
    await recorder.waitForEnd()
    expectEqual(recorder.values.first?.statusCode, 413, "\(recorder.events)")
  }
}
