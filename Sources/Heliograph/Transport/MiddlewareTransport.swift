public import Signals

/// Passes requests through middleware on the way out, and what comes back through it in the opposite order.
public struct MiddlewareTransport: Transport {
  /// What carries the requests.
  public let next: any Transport
  /// What they pass, in this order.
  public let middleware: [any Middleware]
  /// Throws if middleware has made a request into one that must not go out.
  private let check: Check?

  typealias Check = @Sendable (_ adapted: HTTPRequest, _ former: HTTPRequest) throws(NetworkError) -> Void

  /// Makes the decorator.
  ///
  /// - Parameters:
  ///   - next: what carries the requests.
  ///   - middleware: what they pass, in this order.
  public init(_ next: any Transport, _ middleware: [any Middleware]) {
    self.init(next, middleware, check: nil)
  }

  /// Makes the decorator with a check of what each middleware makes of a request.
  init(_ next: any Transport, _ middleware: [any Middleware], check: Check?) {
    self.next = next
    self.middleware = middleware
    self.check = check
  }

  /// Whether what it holds needs a network.
  public var usesNetwork: Bool { next.usesNetwork }

  /// The exchange, with all that the middleware changes.
  ///
  /// - Parameter request: the request as it was built.
  /// - Returns: the signal. It fails as the middleware or the transport does; disposing it disposes what the middleware is
  ///   at.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    if request.needsDeadline { return request.limited(send) }
    request.deadline?.activity = .middleware
    return pass(request, middleware[...])
  }

  private func pass(
    _ request: HTTPRequest, _ middleware: ArraySlice<any Middleware>
  ) -> Signal<TransportEvent, NetworkError> {
    guard let first = middleware.first else {
      request.deadline?.activity = .exchange
      return next.send(request)
    }
    return .deferred {
      first.adapt(request).take(1).flatMap { adapted in
        do throws(NetworkError) {
          try check?(adapted, request)
        } catch {
          return .fail(error)
        }
        let adapted = adapted.belonging(to: request)
        return first.observe(pass(adapted, middleware.dropFirst()), for: adapted)
      }
    }
  }
}
