import Foundation
import Heliograph
import HeliographTesting
import Synchronization
import TestSupport
import Testing

// sample: tracing-exporter
struct SpanExporter: Monitor {
  let export: @Sendable (_ span: TraceContext, _ report: RequestReport) -> Void

  func observe(_ event: MonitorEvent) {
    if case .attemptEnded(let report) = event, let span = report.request?.traceContext { export(span, report) }
  }
}
// end sample

extension TracingStub {
  // sample: tracing-tracer
  final class RequestTracing: Monitor {
    private struct HeaderInjector: Injector {
      func inject(_ value: String, forKey key: String, into headers: inout HTTPHeaders) { headers[key] = value }
    }

    private struct Trace: Sendable {
      let parent: ServiceContext
      var span: (any Span)?
    }

    private let traces = Mutex<[RequestID: Trace]>([:])

    /// Starts the span of an attempt; for `configuration.traceContext`.
    func context(for request: HTTPRequest) -> TraceContext? {
      guard let parent = traces.withLock({ $0[request.id]?.parent }) else { return nil }
      let span = startSpan(request.method.rawValue, context: parent, ofKind: .client)
      span.attributes["http.request.method"] = request.method.rawValue
      span.attributes["server.address"] = request.url.host
      var headers = HTTPHeaders()
      InstrumentationSystem.instrument.inject(span.context, into: &headers, using: HeaderInjector())
      // An attempt may be sent again, without the condition of the cache.
      let former = traces.withLock { traces in
        defer { traces[request.id]?.span = span }
        return traces[request.id]?.span
      }
      former?.end()
      return TraceContext(traceparent: headers["traceparent"] ?? "", tracestate: headers["tracestate"] ?? "")
    }

    func observe(_ event: MonitorEvent) {
      switch event {
      case .started(let id, _):  // in the task that starts the request, with its span
        let parent = ServiceContext.current ?? .topLevel
        traces.withLock { $0[id] = Trace(parent: parent) }
      case .attemptEnded(let report):
        guard let span = traces.withLock({ $0[report.id]?.span.take() }) else { return }
        if let status = report.response?.statusCode { span.attributes["http.response.status_code"] = status }
        if let error = report.error {
          span.recordError(error)
          span.setStatus(SpanStatus(code: .error))
        }
        span.end()
      case .ended(let report):
        traces.withLock { $0.removeValue(forKey: report.id) }?.span?.end()
      default: break
      }
    }
  }
  // end sample
}

/// The samples of the article Tracing.
struct TracingSamples {
  private let server: LoopbackServer
  private let apiURL: URL

  init() throws {
    server = try LoopbackServer()
    apiURL = server.baseURL
    let count = Atomic<Int>(0)
    server.route("GET", "/orders/7") { _ in .json("7") }
    server.route("POST", "/films") { _ in .json("7") }
    server.route("GET", "/page") { request in
      request.header("If-None-Match") == nil
        ? LoopbackResponse.json("7").header("ETag", #""a""#).header("Cache-Control", "no-cache")
        : LoopbackResponse.status(304).header("ETag", #""b""#)
    }
    server.route("GET", "/busy") { _ in
      count.add(1, ordering: .relaxed).newValue == 2
        ? .json("[1]") : LoopbackResponse.status(503).header("Retry-After", "0")
    }
  }

  private var sent: [String] { server.log.requests.compactMap { $0.header("traceparent") } }

  @Test func aContextIsSent() async throws {
    // sample: tracing-setting
    let client = NetworkClient(baseURL: apiURL) {
      $0.traceContext = { TraceContext(of: $0) }
    }
    let response = try await client.send("/orders/7")
    print(response.request?.traceContext?.traceID ?? "")  // to search for in the server's traces
    // end sample
    expectEqual(sent, [try require(response.request?.traceContext).traceparent])
  }

  @Test func anExporterGetsEachAttempt() async throws {
    let spans = Guarded<[String]>([])
    let client = NetworkClient(baseURL: apiURL) {
      $0.traceContext = { TraceContext(of: $0) }
      $0.retry = Retry(limit: 1, backoff: .none)
      $0.monitors = [SpanExporter { span, _ in spans.withLock { $0.append(span.traceparent) } }]
    }
    _ = try await client.send("/busy")
    expectEqual(spans.withLock { $0 }, sent)
    expectEqual(Set(sent).count, 2)
  }

  /// Over the stub of swift-distributed-tracing: each attempt is a span below that of the caller's task.
  @Test func aTracerHasASpanForEachAttempt() async throws {
    typealias RequestTracing = TracingStub.RequestTracing
    // sample: tracing-client
    let tracing = RequestTracing()
    let client = NetworkClient(baseURL: apiURL) {
      $0.traceContext = { tracing.context(for: $0) }
      $0.monitors = [tracing]
    }
    // end sample
    let parent = TracingStub.ServiceContext(trace: TraceContext())
    try await TracingStub.ServiceContext.$current.withValue(parent) {
      await #expect(throws: NetworkError.self) { try await client.send("/busy") }
      _ = try await client.send("/busy")
    }
    let spans = TracingStub.StubSpan.ended.withLock { $0 }
    expectEqual(spans.map(\.context.trace?.traceparent), sent.map(Optional.some))
    expectEqual(Set(spans.map(\.context.trace?.traceID)), [parent.trace?.traceID])
    expectEqual(spans.map { $0.attributes["http.response.status_code"] as? Int }, [503, 200])
    expectEqual(spans.map(\.errorCount), [1, 0])
    expectEqual(spans.map(\.status?.code), [.error, nil])
    expectEqual(spans.map { $0.attributes["http.request.method"] as? String }, ["GET", "GET"])
    expectEqual(spans.map(\.name), ["GET", "GET"])
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try await TracingStub.ServiceContext.$current.withValue(parent) {
      _ = try await client.upload(Request(.post, "/films"), as: JSON.self)
      _ = try await client.download("/orders/7", to: file)
    }
    let transfers = TracingStub.StubSpan.ended.withLock { $0 }.dropFirst(2)
    // A download to a file may begin on another thread, which has no such task.
    expectEqual(transfers.count, 2)
    expectEqual(transfers.first?.context.trace?.traceID, parent.trace?.traceID)
    // The cache sends the second request again, without its condition.
    for _ in 1...2 { _ = try await client.send(Request(.get, "/page", cache: .http)) }
    let pages = TracingStub.StubSpan.ended.withLock { $0 }.dropFirst(4)
    expectEqual(pages.map { $0.attributes["http.response.status_code"] as? Int }, [200, nil, 200])
  }
}
