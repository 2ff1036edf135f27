public import Signals

/// A middleware that sets `Authorization` on each request that has none.
///
/// ```swift
/// configuration.middleware = [AuthorizationMiddleware { .just(try? .bearer(token: "dGhlIHRva2Vu")) }]
/// ```
/// It runs for own origins only, and a redirect to another origin removes the field: see ``Middleware``. RFC 7617, RFC
/// 6750.
public struct AuthorizationMiddleware: Middleware {
  private let authorization: @Sendable () -> Signal<Authorization?, NetworkError>

  /// Creates the middleware.
  ///
  /// - Parameter authorization: returns the value for each request; `nil` sets nothing, and a failure fails the exchange.
  ///   It may be asynchronous, for instance to fetch a token.
  public init(_ authorization: @escaping @Sendable () -> Signal<Authorization?, NetworkError>) {
    self.authorization = authorization
  }

  /// Sends the request with the header field.
  public func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
    if request.headers["Authorization"] != nil { return next(request) }
    return authorization().take(1).flatMap { authorization in
      var request = request
      if let authorization { request.headers["Authorization"] = authorization.headerValue }
      return next(request)
    }
  }
}
