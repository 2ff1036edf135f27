import Foundation
import Heliograph
import HeliographTesting
import Synchronization
import TestSupport
import Testing

// sample: request-metrics
final class RequestMetrics: Monitor {
  struct Figures: Sendable {
    var activeCount = 0
    var endedCount = 0
    var attemptCount = 0
    var receivedByteCount = 0
    var failures: [String: Int] = [:]
    var totalDuration = Duration.zero  // the mean is this by `endedCount`
    var maximumDuration = Duration.zero
  }
  let figures = CurrentValue(Figures())

  func observe(_ event: MonitorEvent) {
    switch event {
    case .started: figures.modify { $0.activeCount += 1 }
    case .attemptEnded(let report) where report.wasSent:  // not one that the cache has answered
      figures.modify {
        $0.attemptCount += 1
        $0.receivedByteCount += report.metrics?.receivedByteCount ?? report.bodyByteCount
      }
    case .ended(let report):
      figures.modify {
        $0.activeCount -= 1
        $0.endedCount += 1
        $0.totalDuration += report.duration
        $0.maximumDuration = max($0.maximumDuration, report.duration)
        if let error = report.error { $0.failures["\(error.domain)", default: 0] += 1 }
      }
    default: break
    }
  }
}
// end sample

/// The metrics of the article Logging.
struct MonitoringSamples {
  private let server: LoopbackServer
  private let shopURL: URL

  init() throws {
    server = try LoopbackServer()
    shopURL = server.baseURL
    server.route("GET", "/lamps") { _ in .json("[1,2]") }
  }

  @Test func aStoredResponseIsNoAttempt() async throws {
    let metrics = RequestMetrics()
    let client = NetworkClient(baseURL: shopURL) { $0.monitors = [metrics] }
    let request = Request(.get, "/lamps", cache: .timeToLive(.seconds(60)))
    var counts: [Int] = []
    for _ in 1...2 {
      _ = try await client.value(of: request, as: [Int].self)
      await until { metrics.figures.value.activeCount == 0 }
      counts.append(metrics.figures.value.receivedByteCount)
    }
    expectEqual(counts[0], counts[1])
    expectEqual(metrics.figures.value.attemptCount, 1)
    expectEqual(metrics.figures.value.endedCount, 2)
  }

  @Test("S1-26") func anIndicatorIsHiddenAfterEveryEnd() async throws {
    server.route("GET", "/bad") { _ in .status(500) }
    server.route("GET", "/stuck") { _ in .never }
    let metrics = RequestMetrics()
    var configuration = NetworkClient.Configuration(baseURL: shopURL)
    configuration.monitors = [metrics]
    let client = NetworkClient(configuration)
    let shown = SignalRecorder(metrics.figures.signal.map { $0.activeCount > 0 }.distinctUntilChanged())
    let lamps = client.enqueue(request: "/lamps", resultType: [Int].self)
    let bad = SignalRecorder(client.enqueue(request: "/bad", resultType: [Int].self))
    // A chain and a batch.
    let chain = SignalRecorder(lamps.flatMap { _ in lamps }.zip(lamps))
    let patient = Request(.get, "/stuck", options: .with { $0.idleTimeout = .seconds(3600) })
    let stuck = SignalRecorder(client.enqueue(request: patient))
    await expect(server.wait { $0.requests(to: "/stuck").count == 1 })
    expect(metrics.figures.value.activeCount > 0)
    stuck.dispose()
    await bad.waitForEnd()
    await chain.waitForEnd()
    await expect(SignalRecorder(metrics.figures.signal).wait { $0.last?.value?.activeCount == 0 })
    let figures = metrics.figures.value
    expectEqual(figures.attemptCount, 5)
    expectEqual(figures.endedCount, 5)
    expect(figures.maximumDuration <= figures.totalDuration)
    expectEqual(figures.failures, ["server": 1])
    expect(figures.receivedByteCount > 0)
    expectEqual(shown.values.first, false)
    expectEqual(shown.values.last, false)
    expect(shown.values.contains(true))
  }
}
