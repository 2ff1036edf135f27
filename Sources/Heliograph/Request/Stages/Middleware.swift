public import Signals

/// Changes requests on the way out and sees what comes back, asynchronously where it must.
///
/// Requests pass the client's middleware first, then the service's, then the request's own; what comes back passes them in
/// the opposite order. It stands around redirects, so it sees the request once and the last response only.
///
/// Middleware of a client or a service is left out of requests to origins that are not the client's or the service's own,
/// unless its ``origins`` are ``MiddlewareOrigins/all``: what it adds is meant for its own servers. Middleware of a request
/// always runs.
public protocol Middleware: Sendable {
  /// Which origins it runs for, as middleware of a client or a service.
  ///
  /// Default: ``MiddlewareOrigins/own``.
  var origins: MiddlewareOrigins { get }

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

/// Which origins middleware of a client or a service runs for.
public enum MiddlewareOrigins: Sendable, Hashable {
  /// The own ones: of a client those of ``NetworkClient/Configuration/owns(_:)``, of a service its addresses and the
  /// ``NetworkClient/Configuration/trustedOrigins``.
  case own
  /// All: for middleware that only observes, such as a log.
  ///
  /// Whatever it adds to a request goes to any address.
  case all
}

extension Middleware {
  /// ``MiddlewareOrigins/own``.
  public var origins: MiddlewareOrigins { .own }

  /// The request as it is.
  public func adapt(_ request: HTTPRequest) -> Signal<HTTPRequest, NetworkError> { .just(request) }

  /// All of it.
  public func observe(
    _ events: Signal<TransportEvent, NetworkError>, for request: HTTPRequest
  ) -> Signal<TransportEvent, NetworkError> { events }
}
