public import Signals

/// Passes requests through middleware on the way out, and what comes back through it in the opposite order.
public struct MiddlewareTransport: Transport {
  /// What carries the requests.
  public let next: any Transport
  /// What they pass, in this order.
  public let middleware: [any Middleware]

  /// Makes the decorator.
  ///
  /// - Parameters:
  ///   - next: what carries the requests.
  ///   - middleware: what they pass, in this order.
  public init(_ next: any Transport, _ middleware: [any Middleware]) {
    self.next = next
    self.middleware = middleware
  }

  /// Whether what it holds needs a network.
  public var usesNetwork: Bool { next.usesNetwork }

  /// The exchange, with all that the middleware changes.
  ///
  /// - Parameter request: the request as it was built.
  /// - Returns: the signal. It fails as the middleware or the transport does; disposing it disposes what the middleware is
  ///   at.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    pass(request, middleware[...])
  }

  private func pass(
    _ request: HTTPRequest, _ middleware: ArraySlice<any Middleware>
  ) -> Signal<TransportEvent, NetworkError> {
    guard let first = middleware.first else { return next.send(request) }
    return .deferred {
      first.adapt(request).take(1).flatMap { adapted in
        var adapted = adapted
        // Middleware may have made a new request, which belongs to the same identity.
        adapted.binding = request.binding
        return first.observe(pass(adapted, middleware.dropFirst()), for: adapted)
      }
    }
  }
}
