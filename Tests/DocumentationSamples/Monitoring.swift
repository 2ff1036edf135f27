import Foundation
import Heliograph
import HeliographTesting
import Synchronization
import TestSupport
import Testing

// sample: request-log
struct RequestLog: Monitor {
  let write: @Sendable (String) -> Void

  func observe(_ event: MonitorEvent) {
    switch event {
    case .sent(let request): write("[\(request.id).\(request.attempt)] \(request)")
    case .responded(let request, let head): write("[\(request.id).\(request.attempt)] status \(head.statusCode)")
    case .ended(let report):
      let time = "in \(Int(report.duration / .milliseconds(1))) ms, attempts: \(report.attempt)"
      switch report.outcome {
      case .success: write("[\(report.id)] succeeded \(time)")
      case .failure(let error): write("[\(report.id)] failed \(time): \(error)")
      case .cancelled: write("[\(report.id)] cancelled \(time)")
      }
    case .notice(let text): write(text)
    default: break
    }
  }
}
// end sample

// sample: request-metrics
final class RequestMetrics: Monitor {
  struct Figures: Sendable {
    var activeCount = 0
    var attemptCount = 0
    var receivedByteCount = 0
    var failures: [String: Int] = [:]
    var durations: [Duration] = []
  }
  let figures = CurrentValue(Figures())

  /// For an activity indicator.
  var isActive: Signal<Bool, Never> { figures.signal.map { $0.activeCount > 0 }.distinctUntilChanged() }

  func observe(_ event: MonitorEvent) {
    switch event {
    case .started: figures.modify { $0.activeCount += 1 }
    case .attemptEnded(let report):
      figures.modify {
        $0.attemptCount += 1
        $0.receivedByteCount += report.metrics?.receivedByteCount ?? report.bodyByteCount
      }
    case .ended(let report):
      figures.modify {
        $0.activeCount -= 1
        $0.durations.append(report.duration)
        if let error = report.error { $0.failures["\(error.domain) \(error.code)", default: 0] += 1 }
      }
    default: break
    }
  }
}
// end sample

// sample: trace-context
struct TraceContext: Middleware {
  /// Makes the ids unique among processes.
  let process = UInt64.random(in: 1...UInt64.max)

  func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
    var request = request
    request.headers["traceparent"] = "00-\(trace(request.id))-\(span(request.attempt))-01"
    return next(request)
  }

  /// All attempts of a request belong to one trace.
  func trace(_ id: RequestID) -> String { hexadecimal(process) + hexadecimal(id.rawValue) }

  func span(_ attempt: Int) -> String { hexadecimal(UInt64(attempt)) }

  private func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

struct SpanExporter: Monitor {
  let context: TraceContext
  let export: @Sendable (_ trace: String, _ span: String, _ report: RequestReport) -> Void

  func observe(_ event: MonitorEvent) {
    guard case .attemptEnded(let report) = event else { return }
    export(context.trace(report.id), context.span(report.attempt), report)
  }
}
// end sample

/// The samples of Docs/Monitoring.md.
struct MonitoringSamples {
  private let server: LoopbackServer
  private let shopURL: URL

  init() throws {
    server = try LoopbackServer()
    shopURL = server.baseURL
    server.route("GET", "/lamps") { _ in .json("[1,2]") }
  }

  @Test func aLogNamesRequestAndAttempt() async throws {
    // sample: logging
    var configuration = NetworkClient.Configuration(baseURL: shopURL)
    configuration.monitors = [RequestLog { print($0) }]
    let client = NetworkClient(configuration)
    _ = try await client.enqueue(request: "/lamps?token=secret", resultType: [Int].self).value()
    // [7.1] GET http://127.0.0.1:40123/lamps?…
    // [7.1] status 200
    // [7] succeeded in 2 ms, attempts: 1
    // end sample
    let lines = Guarded<[String]>([])
    configuration.monitors = [RequestLog { line in lines.withLock { $0.append(line) } }]
    let logged = NetworkClient(configuration)
    _ = try await logged.enqueue(request: "/lamps?token=secret", resultType: [Int].self).value()
    let all = lines.withLock { $0 }
    try require(all.count == 3)
    expect(all[0].hasSuffix(".1] GET \(shopURL)lamps?…") || all[0].hasSuffix(".1] GET \(shopURL)/lamps?…"))
    expect(all[1].hasSuffix(".1] status 200"))
    expect(all[2].contains("succeeded in"))
    expect(all[2].hasSuffix("attempts: 1"))
  }

  @Test("S1-26") func anIndicatorIsHiddenAfterEveryEnd() async throws {
    server.route("GET", "/bad") { _ in .status(500) }
    server.route("GET", "/stuck") { _ in .never }
    let metrics = RequestMetrics()
    var configuration = NetworkClient.Configuration(baseURL: shopURL)
    configuration.monitors = [metrics]
    let client = NetworkClient(configuration)
    let shown = SignalRecorder(metrics.isActive)
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
    expectEqual(figures.durations.count, 5)
    expectEqual(figures.failures, ["server 500": 1])
    expect(figures.receivedByteCount > 0)
    expectEqual(shown.values.first, false)
    expectEqual(shown.values.last, false)
    expect(shown.values.contains(true))
  }

  @Test func aTraceJoinsFieldAndSpan() async throws {
    let count = Atomic<Int>(0)
    server.route("GET", "/busy") { _ in
      count.add(1, ordering: .relaxed).newValue == 2
        ? .json("[1]") : LoopbackResponse.status(503).header("Retry-After", "0")
    }
    // sample: tracing
    let context = TraceContext()
    var configuration = NetworkClient.Configuration(baseURL: shopURL)
    configuration.retry = Retry(limit: 1, backoff: .none)
    configuration.middleware = [context]
    configuration.monitors = [
      SpanExporter(context: context) { trace, span, report in
        print(trace, span, report.response?.statusCode ?? 0, report.duration)
      }
    ]
    let client = NetworkClient(configuration)
    _ = try await client.enqueue(request: "/busy", resultType: [Int].self).value()
    // 5b8aa5a2d2c872e80000000000000008 0000000000000001 503 0.002 seconds
    // 5b8aa5a2d2c872e80000000000000008 0000000000000002 200 0.001 seconds
    // end sample
    let spans = Guarded<[String]>([])
    configuration.monitors = [
      SpanExporter(context: context) { trace, span, _ in spans.withLock { $0.append("00-\(trace)-\(span)-01") } }
    ]
    count.store(0, ordering: .relaxed)
    _ = try await NetworkClient(configuration).enqueue(request: "/busy", resultType: [Int].self).value()
    let fields = server.log.requests(to: "/busy").compactMap { $0.header("traceparent") }
    expectEqual(fields.count, 4)
    expectEqual(Set(fields).count, 4)
    expectEqual(Array(fields.suffix(2)), spans.withLock { $0 })
    expect(fields.allSatisfy { $0.utf8.count == 55 })
  }
}
