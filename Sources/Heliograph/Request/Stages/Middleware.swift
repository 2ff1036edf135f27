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
/// Middleware of a client or a service is skipped for requests to origins that are not the client's or the service's
/// own, unless it ``runsForAllOrigins``, because its additions are meant for those origins only. Middleware of a
/// request always runs.
///
/// `intercept` has no default implementation: a misspelled method fails to compile, instead of never being called.
public protocol Middleware: Sendable {
  /// A function that passes a request on and returns the events of its response: a head, chunks of the body and
  /// metrics, or a failure.
  typealias Next = @Sendable (HTTPRequest) -> Signal<TransportEvent, NetworkError>

  /// Whether middleware of a client or a service runs for all origins; meant for one that only observes, such as a log.
  ///
  /// Its additions to a request are then sent to every origin. Default: `false`: a client's middleware runs for the
  /// origins of ``NetworkClient/Configuration/owns(_:)``, a service's for its addresses and the
  /// ``NetworkClient/Configuration/trustedOrigins``.
  var runsForAllOrigins: Bool { get }

  /// Passes a request on and returns the events of its response; may change both.
  ///
  /// Asynchronous work is a signal that precedes the exchange: `Signal.task { … }.flatMap { next($0) }`.
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
