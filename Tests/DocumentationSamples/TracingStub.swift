import Heliograph
import Synchronization

/// What the article Tracing uses of swift-distributed-tracing 1.4, as its modules declare it: the package is no dependency.
///
/// Its names are not at the top level, where `Span` is one of the standard library.
nonisolated enum TracingStub {
  struct ServiceContext: Sendable {
    @TaskLocal static var current: ServiceContext?
    static let topLevel = ServiceContext()
    var trace: TraceContext?
  }

  protocol Injector: Sendable {
    associatedtype Carrier: Sendable
    func inject(_ value: String, forKey key: String, into carrier: inout Carrier)
  }

  protocol Instrument: Sendable {
    func inject<Carrier, Inject>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
    where Inject: Injector, Inject.Carrier == Carrier
  }

  protocol SpanAttributeConvertible: Sendable {}

  struct SpanAttributes: Sendable {
    private var values: [String: any SpanAttributeConvertible] = [:]
    subscript(_ name: String) -> (any SpanAttributeConvertible)? {
      get { values[name] }
      set { values[name] = newValue }
    }
  }

  enum SpanKind: Sendable { case client, `internal` }

  struct SpanStatus: Sendable, Equatable {
    enum Code: Sendable { case ok, error }
    let code: Code
  }

  protocol Span: Sendable {
    var context: ServiceContext { get }
    var attributes: SpanAttributes { get nonmutating set }
    func recordError(_ error: any Error)
    func setStatus(_ status: SpanStatus)
    func end()
  }

  static func startSpan(
    _ operationName: String, context: @autoclosure () -> ServiceContext = .current ?? .topLevel,
    ofKind kind: SpanKind = .internal
  ) -> any Span {
    StubSpan(operationName, ServiceContext(trace: context().trace?.child() ?? TraceContext()))
  }

  enum InstrumentationSystem {
    static var instrument: any Instrument { StubTracer() }
  }

  private struct StubTracer: Instrument {
    func inject<Carrier, Inject>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
    where Inject: Injector, Inject.Carrier == Carrier {
      if let trace = context.trace { injector.inject(trace.traceparent, forKey: "traceparent", into: &carrier) }
    }
  }

  /// A span that records itself at its end.
  final class StubSpan: Span {
    /// The spans that have ended.
    static let ended = Mutex<[StubSpan]>([])

    let name: String
    let context: ServiceContext
    private let state = Mutex((attributes: SpanAttributes(), status: SpanStatus?.none, errorCount: 0))

    init(_ name: String, _ context: ServiceContext) { (self.name, self.context) = (name, context) }

    var status: SpanStatus? { state.withLock { $0.status } }
    var errorCount: Int { state.withLock { $0.errorCount } }
    var attributes: SpanAttributes {
      get { state.withLock { $0.attributes } }
      set { state.withLock { $0.attributes = newValue } }
    }
    func recordError(_ error: any Error) { state.withLock { $0.errorCount += 1 } }
    func setStatus(_ status: SpanStatus) { state.withLock { $0.status = status } }
    func end() { Self.ended.withLock { $0.append(self) } }
  }
}

extension String: TracingStub.SpanAttributeConvertible {}
extension Int: TracingStub.SpanAttributeConvertible {}
