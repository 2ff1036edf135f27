/// A stage that adds a trace context to requests to the client's own origins.
final class TraceStamp: Sendable {
  private let makeContext: @Sendable (HTTPRequest) -> TraceContext?
  private let builder: RequestBuilder

  /// Creates the stage.
  ///
  /// - Parameters:
  ///   - makeContext: Returns the context of an attempt; `nil` adds none.
  ///   - builder: The builder, which has the client's own origins.
  init(_ makeContext: @escaping @Sendable (HTTPRequest) -> TraceContext?, sentTo builder: RequestBuilder) {
    self.makeContext = makeContext
    self.builder = builder
  }

  /// Returns the request with a new trace context, unless it has one already or goes to another origin.
  func stamped(_ request: HTTPRequest) -> HTTPRequest {
    guard request.headers["traceparent"] == nil, request.headers["tracestate"] == nil, builder.owns(request.url),
      let context = makeContext(request)
    else { return request }
    var request = request
    request.headers["traceparent"] = context.traceparent
    if !context.tracestate.isEmpty { request.headers["tracestate"] = context.tracestate }
    return request
  }
}
