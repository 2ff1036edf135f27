public import Signals

/// Sets `Authorization` on each request that has none of its own.
///
/// ```swift
/// configuration.middleware = [AuthorizationMiddleware { .just(try? .bearer(token: "dGhlIHRva2Vu")) }]
/// ```
/// It runs for own origins only, and the field is dropped when a redirect leads to another one: see ``Middleware``.
/// RFC 7617, RFC 6750.
public struct AuthorizationMiddleware: Middleware {
  private let authorization: @Sendable () -> Signal<Authorization?, NetworkError>

  /// Makes the middleware.
  ///
  /// - Parameter authorization: gives what to set, for each request anew; `nil` sets nothing, and a failure ends the
  ///   exchange. It may take its time, to fetch a token for instance.
  public init(_ authorization: @escaping @Sendable () -> Signal<Authorization?, NetworkError>) {
    self.authorization = authorization
  }

  /// The request with the field.
  public func adapt(_ request: HTTPRequest) -> Signal<HTTPRequest, NetworkError> {
    if request.headers["Authorization"] != nil { return .just(request) }
    return authorization().map { authorization in
      var request = request
      if let authorization { request.headers["Authorization"] = authorization.headerValue }
      return request
    }
  }
}
