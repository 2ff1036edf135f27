import Signals

/// A decorator that passes requests through the middleware of their attempt in order, and their events back in the
/// opposite order.
///
/// Failures of the middleware and the transport are passed on. Disposal also disposes the middleware's signals in
/// flight.
final class MiddlewareTransport: DecoratingTransport {
  let next: any ChainedTransport
  /// The builder, which checks the origin of requests changed by middleware.
  private let builder: RequestBuilder

  init(_ next: any Transport, checkedBy builder: RequestBuilder) {
    self.next = next.chained
    self.builder = builder
  }

  func start(_ request: HTTPRequest, in context: ExchangeContext) {
    guard let attempt = context.attempt, !attempt.middleware.isEmpty else { return next.start(request, in: context) }
    request.deadline?.activity = .middleware
    pass(request, attempt.middleware[...], attempt, context.log)
      .subscribe(in: context.scope, under: context.pressure, context.receive)
  }

  private func pass(
    _ request: HTTPRequest, _ middleware: ArraySlice<any Middleware>, _ attempt: AttemptContext, _ log: SendLog?
  ) -> Signal<TransportEvent, NetworkError> {
    guard let first = middleware.first else {
      request.deadline?.activity = .exchange
      // An error without a request is thus one of middleware.
      return .deferred { [self] in
        attempt.beginPass(request)
        return next.signal(request, of: attempt, log).map { event in
          if case .head = event { attempt.recordHead() }
          return event
        }.mapError { error in
          if error.code == .unreachable, error.metrics?.isUnsent != false { attempt.dropPass() }
          return error.attaching(attempt.adapted ?? request)
        }
      }
    }
    return .deferred { [self] in
      let events = first.intercept(request) { [self] adapted in
        do throws(NetworkError) {
          if let resolved = attempt.resolved { try builder.check(adapted.url, movedFrom: request.url, resolved) }
        } catch {
          return .fail(error)
        }
        return pass(adapted.withContext(of: request), middleware.dropFirst(), attempt, log)
      }
      // This also makes it a stage, which notices if a middleware's signal drops its observer.
      return events.mapError { $0.following(attempt, of: request) }
    }
  }
}

extension NetworkError {
  /// Returns the error with which middleware has failed.
  ///
  /// It may be that of another exchange, such as for a token or for a key that middleware needs to decrypt the
  /// response. Its code and its request say nothing about repeating `own`. If `own` is not idempotent and may have been
  /// sent, the server may have processed it, so it is not repeated. If it is idempotent, a retry repeats it with the
  /// other exchange.
  fileprivate func following(_ attempt: AttemptContext, of own: HTTPRequest) -> NetworkError {
    if isCancelled || code == .contextChanged { return self }
    let isOfOther = request.map { $0.id != own.id }
    var error = self
    if let sent = attempt.adapted, !sent.isIdempotent || attempt.hasEarlierOrder && !own.isIdempotent {
      if isOfOther ?? (code == .unreachable) {
        error = NetworkError(
          .transformFailed, reason: "middleware failed after it had passed the request on", request: sent,
          underlying: self)
      }
      // Middleware may have passed on the order first, and then a request for its result.
      error.request?.isIdempotent = false
      let isOfExchange = error.domain == .network || error.code == .unreachable
      error.marks.isAfterOrder = error.domain == .processing || isOfExchange && attempt.hasEarlierOrder
    } else if isOfOther == true, own.isIdempotent, request?.isIdempotent == false {
      // A retry repeats the own request.
      error.request?.isIdempotent = true
    } else if isOfOther == false, !own.isIdempotent, !attempt.wasPassedOn, [.network, .processing].contains(domain) {
      // Middleware may have sent it by another transport.
      error.marks.isAfterOrder = true
    }
    return error
  }
}

/// A stage that adds a trace context to requests to the client's own origins.
final class TraceStamp: Sendable {
  private let makeContext: @Sendable (HTTPRequest) -> TraceContext?
  private let builder: RequestBuilder

  /// `makeContext` returns the context of an attempt, `nil` for none; `builder` has the client's own origins.
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
