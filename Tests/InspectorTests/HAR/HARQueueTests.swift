import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph
@testable import HeliographInspector

/// The limits of the records that wait for a slow disk.
struct HARQueueTests {
  private let folder: HARFolder
  private let url: URL

  init() throws {
    folder = try HARFolder()
    url = try require(URL(string: "https://api.example/items"))
  }

  /// Passes the events of an attempt with a body of the response.
  private func observe(_ monitor: HARMonitor, _ byteCount: Int) {
    let request = HTTPRequest(
      method: .get, url: url, headers: [:], body: .empty, idleTimeout: .seconds(60), totalTimeout: nil,
      limits: ResponseLimits(), isIdempotent: nil, priority: .normal, context: RequestContext(id: .next()))
    if byteCount > 0 {
      let head = HTTPResponse(statusCode: 200, headers: ["Content-Type": "application/json"], url: url)
      monitor.observe(.received(request, Response(value: Data(repeating: 0x31, count: byteCount), head: head)))
    }
    monitor.observe(
      .attemptEnded(
        RequestReport(
          id: request.id, attempt: 1, request: request, wasSent: true, response: nil, bodyByteCount: byteCount,
          duration: .zero, metrics: nil, outcome: .success)))
  }

  /// 4,000 records, and 32 MiB of bodies.
  @Test("P12", arguments: [(4_000, 0), (32, 1 << 20)]) func whatIsBeyondTheLimitIsDroppedWithANotice(
    _ limit: Int, _ byteCount: Int
  ) async throws {
    let notices = CurrentValue<[String]>([])
    let isReleased = DispatchSemaphore(value: 0)  // blocks: the thread of the queue, as a slow disk does
    let monitor = try HARMonitor(file: folder.file, bodyByteLimit: 2 << 20) { notice in
      let isFirst = notices.modify {
        $0.append(notice)
        return $0.count == 1
      }
      if isFirst { isReleased.wait() }
    }
    // Without its folder no batch can be written, and the first notice says so.
    try FileManager.default.removeItem(at: folder.url)
    observe(monitor, 0)
    await expect(SignalRecorder(notices.signal).wait { $0.last?.value?.count == 1 })
    for _ in 0..<(limit + 3) { observe(monitor, byteCount) }
    isReleased.signal()
    await monitor.close()
    expectEqual(notices.value.count, 2, "\(notices.value)")
    expectEqual(notices.value.last, "HAR file: 3 entries are missing: too many at a time")
  }
}
