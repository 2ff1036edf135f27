package import Signals

/// A decorator that passes requests through middleware in order, and their events back in the opposite order.
package struct MiddlewareTransport: Transport {
  /// The transport that sends the requests.
  package let next: any Transport
  /// The middleware, in the order in which a request passes it.
  package let middleware: [any Middleware]
  /// Throws if middleware has turned a request into one that must not be sent.
  private let check: Check?

  typealias Check = @Sendable (_ adapted: HTTPRequest, _ former: HTTPRequest) throws(NetworkError) -> Void

  /// Creates the decorator.
  ///
  /// - Parameters:
  ///   - next: the transport that sends the requests.
  ///   - middleware: the middleware, in the order in which a request passes it.
  package init(_ next: any Transport, _ middleware: [any Middleware]) {
    self.init(next, middleware, check: nil)
  }

  /// Creates the decorator with a check of each adapted request.
  init(_ next: any Transport, _ middleware: [any Middleware], check: Check?) {
    self.next = next
    self.middleware = middleware
    self.check = check
  }

  /// Whether the wrapped transport needs a network.
  package var usesNetwork: Bool { next.usesNetwork }

  /// Sends the request through all middleware.
  ///
  /// - Parameter request: the request as it was built.
  /// - Returns: a signal of the exchange. It fails as the middleware or the transport does. Disposing it also disposes
  ///   what the middleware has in flight.
  package func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
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
      let events = first.intercept(request) { adapted in
        do throws(NetworkError) {
          try check?(adapted, request)
        } catch {
          return .fail(error)
        }
        return pass(adapted.belonging(to: request), middleware.dropFirst())
      }
      // A stage: a direct subscription would not notice that a signal of the middleware has dropped its observer.
      return events.map { $0 }
    }
  }
}
