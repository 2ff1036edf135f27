public import Signals

/// A stage that adapts outgoing requests and intercepts their responses, asynchronously if needed.
///
/// Requests pass the client's middleware first, then the service's, then the request's own. Responses pass them in
/// reverse order. Middleware encloses the redirect chain: it sees the request once, and only the last response.
///
/// Middleware of a client or a service is skipped for requests to origins that are not the client's or the service's own,
/// unless its ``origins`` are ``MiddlewareOrigins/all``, because its additions are meant for its own servers. Middleware
/// of a request always runs.
///
/// Each method has a default, so a method of another name or type, such as `adapt(_:) async throws`, compiles and is never
/// called. Async work is a signal: return `.task { … }`.
public protocol Middleware: Sendable {
  /// The origins that it runs for, as middleware of a client or a service.
  ///
  /// Default: ``MiddlewareOrigins/own``.
  var origins: MiddlewareOrigins { get }

  /// Adapts an outgoing request.
  ///
  /// - Parameter request: the built and signed request.
  /// - Returns: a signal of the request to send, which is awaited; its failure fails the exchange. Default: the request
  ///   unchanged.
  func adapt(_ request: HTTPRequest) -> Signal<HTTPRequest, NetworkError>

  /// Intercepts the response, and may change it.
  ///
  /// - Parameters:
  ///   - events: the events of the response: a head, chunks of the body and metrics, or a failure.
  ///   - request: the request as adapted by this middleware.
  /// - Returns: the events to pass on. Default: all of them, unchanged.
  func intercept(
    _ events: Signal<TransportEvent, NetworkError>, for request: HTTPRequest
  ) -> Signal<TransportEvent, NetworkError>
}

/// The origins that middleware of a client or a service runs for.
public enum MiddlewareOrigins: Sendable, Hashable {
  /// The own origins of the client or service.
  ///
  /// For a client they are those of ``NetworkClient/Configuration/owns(_:)``, for a service its addresses and the
  /// ``NetworkClient/Configuration/trustedOrigins``.
  case own
  /// All origins, for middleware that only observes, such as a log.
  ///
  /// Its additions to a request are sent to any address.
  case all
}

extension Middleware {
  /// ``MiddlewareOrigins/own``.
  public var origins: MiddlewareOrigins { .own }

  /// Returns the request unchanged.
  public func adapt(_ request: HTTPRequest) -> Signal<HTTPRequest, NetworkError> { .just(request) }

  /// Returns all events unchanged.
  public func intercept(
    _ events: Signal<TransportEvent, NetworkError>, for request: HTTPRequest
  ) -> Signal<TransportEvent, NetworkError> { events }
}
