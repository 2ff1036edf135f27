public import Signals

/// Changes requests on the way out and sees what comes back, asynchronously where it must.
///
/// Requests pass the client's middleware first, then the service's, then the request's own; what comes back passes them in
/// the opposite order. It stands around redirects, so it sees the request once and the last response only. Requirement S1-31.
public protocol Middleware: Sendable {
  /// Changes a request on the way out.
  ///
  /// - Parameter request: the request; it has been built and signed.
  /// - Returns: a signal of the request to send, which is waited for; its failure ends the exchange. Default: the request
  ///   as it is.
  func adapt(_ request: HTTPRequest) -> Signal<HTTPRequest, NetworkError>

  /// Sees, and may change, what comes back.
  ///
  /// - Parameters:
  ///   - events: what comes back: a head, pieces of a body, what it cost; or a failure.
  ///   - request: the request as this middleware has adapted it.
  /// - Returns: what is passed on. Default: all of it.
  func observe(
    _ events: Signal<TransportEvent, NetworkError>, for request: HTTPRequest
  ) -> Signal<TransportEvent, NetworkError>
}

extension Middleware {
  /// The request as it is.
  public func adapt(_ request: HTTPRequest) -> Signal<HTTPRequest, NetworkError> { .just(request) }

  /// All of it.
  public func observe(
    _ events: Signal<TransportEvent, NetworkError>, for request: HTTPRequest
  ) -> Signal<TransportEvent, NetworkError> { events }
}
