public import Signals

/// A stage that adapts outgoing requests and intercepts their responses, asynchronously if needed.
///
/// Requests pass the client's middleware first, then the service's, then the request's own. Responses pass them in
/// reverse order. Middleware encloses the redirect chain: it sees the request once, and only the last response.
///
/// Middleware of a client or a service is skipped for requests to origins that are not the client's or the service's own,
/// unless it ``runsForAllOrigins``, because its additions are meant for its own servers. Middleware of a request always runs.
///
/// Each method has a default, so a method of another name or type, such as `adapt(_:) async throws`, compiles and is never
/// called. Async work is a signal: return `.task { … }`.
public protocol Middleware: Sendable {
  /// Whether it runs for all origins, as middleware of a client or a service that only observes, such as a log.
  ///
  /// Its additions to a request are sent to any address then. Default: `false`, it runs for own origins: for a client those of
  /// ``NetworkClient/Configuration/owns(_:)``, for a service its addresses and the
  /// ``NetworkClient/Configuration/trustedOrigins``.
  var runsForAllOrigins: Bool { get }

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

extension Middleware {
  /// `false`.
  public var runsForAllOrigins: Bool { false }

  /// Returns the request unchanged.
  public func adapt(_ request: HTTPRequest) -> Signal<HTTPRequest, NetworkError> { .just(request) }

  /// Returns all events unchanged.
  public func intercept(
    _ events: Signal<TransportEvent, NetworkError>, for request: HTTPRequest
  ) -> Signal<TransportEvent, NetworkError> { events }
}
