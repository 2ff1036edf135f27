public import Signals

/// A stage that changes outgoing requests and their responses, asynchronously if needed.
///
/// ```swift
/// struct Versioned: Middleware {
///   func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
///     var request = request
///     request.headers["X-App-Version"] = "1.2"
///     return next(request)
///   }
/// }
/// ```
/// Requests pass the client's middleware first, then the service's, then the request's own. Responses pass them in
/// reverse order. Middleware encloses the redirect chain: it sees the request once, and only the last response.
///
/// Middleware of a client or a service is skipped for requests to origins that are not the client's or the service's own,
/// unless it ``runsForAllOrigins``, because its additions are meant for its own servers. Middleware of a request always runs.
///
/// The method has no default implementation, so that a misspelled one does not compile; with a default, it would
/// never be called.
public protocol Middleware: Sendable {
  /// A function that passes a request on, and returns the events of its response: a head, chunks of the body and metrics,
  /// or a failure.
  typealias Next = @Sendable (HTTPRequest) -> Signal<TransportEvent, NetworkError>

  /// Whether it runs for all origins, as middleware of a client or a service that only observes, such as a log.
  ///
  /// Its additions to a request are then sent to any address. Default: `false`, it runs for own origins: for a client
  /// those of ``NetworkClient/Configuration/owns(_:)``, for a service its addresses and the
  /// ``NetworkClient/Configuration/trustedOrigins``.
  var runsForAllOrigins: Bool { get }

  /// Passes a request on, and returns the events of its response; it may change both.
  ///
  /// Async work is a signal before the exchange: `Signal.task { … }.flatMap { next($0) }`.
  /// - Parameters:
  ///   - request: The built and signed request.
  ///   - next: Sends a request through the remaining middleware. Call it once for each subscription.
  /// - Returns: The events to deliver; a failure fails the exchange.
  func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError>
}

extension Middleware {
  /// The default: `false`.
  public var runsForAllOrigins: Bool { false }
}
