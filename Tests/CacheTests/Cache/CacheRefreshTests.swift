import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// The refresh of a stale response in the background.
struct CacheRefreshTests {
  /// A request with the current token, as an app builds it.
  private struct Signed: RequestConvertible {
    let token: CurrentValue<String>

    func asRequest() -> Request { Request(.get, "/a", headers: ["X-Pass": token.value], cache: .http) }
  }

  private let stale: HTTPHeaders = ["Cache-Control": "max-age=0, stale-while-revalidate=60"]

  private func record(_ kit: TestKit, _ request: some RequestConvertible) async -> [String] {
    let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: String.self))
    await kit.clock.advance(by: .seconds(1))
    return recorder.values.map(\.value)
  }

  @Test func isBuiltAnewAfterATokenRefresh() async {
    let (token, rejectionCount) = (CurrentValue("old"), CurrentValue(0))
    let log = MonitorLog()
    let kit = TestKit {
      $0.monitors = [log]
      $0.recoveries = [.renewing(token)]
      $0.onUnauthorized = { _ in rejectionCount.modify { $0 += 1 } }
    }
    kit.stub.on(.get, "/a", .text("first", headers: stale), .status(401), .text("second"))
    for _ in 0..<2 { await expectEqual(record(kit, Signed(token: token)), ["first"]) }
    expectEqual(kit.stub.requests.map { $0.headers["X-Pass"] }, ["old", "old", "new"])
    expectEqual(kit.stub.requests.map(\.priority), [.normal, .low, .low])
    expectEqual(log.requests.map(\.outcome.name), ["succeeded", "succeeded", "succeeded"])
    expectEqual(rejectionCount.value, 0)
  }

  /// Otherwise a request that the user waits for would have its low priority.
  @Test func isNotSharedWithAnotherRequest() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .text("first", headers: stale), .never)
    let request = Request(.get, "/a", cache: .http, options: .with { $0.isCoalesced = true })
    for _ in 0..<2 { await expectEqual(record(kit, request), ["first"]) }
    var urgent = request
    urgent.options.cache = .reload
    urgent.options.priority = .high
    let recorder = SignalRecorder(kit.client.enqueue(request: urgent, resultType: String.self))
    expectEqual(kit.stub.requests.map(\.priority), [.normal, .low, .high])
    expect(recorder.events.isEmpty)
  }

  @Test func doesNotWaitForANetwork() async {
    let (network, activity, log) = (ManualReachability(.reachable), ActivityMonitor(), MonitorLog())
    let kit = TestKit {
      $0.reachability = network
      $0.monitors = [activity, log]
      $0.waitsForConnectivity = true
    }
    kit.stub.on(.get, "/a", .text("first", headers: stale), .text("second"))
    let request = Request(.get, "/a", cache: .http)
    await expectEqual(record(kit, request), ["first"])
    network.set(.unreachable)
    for _ in 0..<2 {
      await expectEqual(record(kit, request), ["first"])
      expectEqual(activity.count.value, 0)
    }
    expect(log.events.allSatisfy { if case .waiting = $0 { false } else { true } })
    network.set(.reachable)
    // Once more the stale response, and then that of its refresh.
    for text in ["first", "second"] { await expectEqual(record(kit, request), [text]) }
  }
}
