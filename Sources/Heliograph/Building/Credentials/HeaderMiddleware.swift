public import Signals

/// A middleware that sets a header field on each request that does not have it.
///
/// As middleware of a client or a service, it runs for their own origins only; as middleware of a request, for the URL
/// of that request, whatever its origin. A redirect to another origin removes a secret field. See ``Middleware``.
public struct HeaderMiddleware: Middleware {
  private let name: String
  private let value: @Sendable (HTTPRequest) -> Signal<String?, NetworkError>

  init(_ name: String, _ value: @escaping @Sendable (HTTPRequest) -> Signal<String?, NetworkError>) {
    self.name = name
    self.value = value
  }

  init(authorization: @escaping @Sendable (HTTPRequest) throws(NetworkError) -> Authorization?) {
    self.init("Authorization") { request in
      do throws(NetworkError) {
        return .just(try authorization(request)?.headerValue)
      } catch {
        return .fail(error)
      }
    }
  }

  /// Sends the request with the header field.
  public func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
    if request.headers[name] != nil { return next(request) }
    return value(request).take(1).flatMap { [name] value in
      var request = request
      if let value { request.headers[name] = value }
      return next(request)
    }
  }
}

extension Middleware where Self == HeaderMiddleware {
  /// Returns a middleware that sets a header field on each request to the client's own origins.
  ///
  /// ```swift
  /// configuration.middleware = [.header("X-Token") { session.value?.token }]
  /// ```
  /// A value with characters that are invalid in a header field fails the request with
  /// ``NetworkError/Code/invalidHeader``. As middleware of a request, it runs for the URL of that request, whatever its
  /// origin.
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - isSecret: Whether the name is added to ``HTTPHeaders/secretNames``, so that no log, error or cassette shows
  ///     its values, and a response is cached for its sender only. Default: `true`; pass `false` for a field such as
  ///     `Accept-Language`. A name such as `X-Session`, which is typical of secrets, is secret in any case.
  ///   - value: Returns the value for each attempt; `nil` sets none. Called on any thread, for the first attempt
  ///     usually the subscriber's; it must not block.
  /// - Returns: The middleware.
  public static func header(
    _ name: String, isSecret: Bool = true, _ value: @escaping @Sendable () -> String?
  ) -> HeaderMiddleware {
    if isSecret { HTTPHeaders.addSecretNames(name) }
    return HeaderMiddleware(name) { _ in .just(value()) }
  }

  /// Returns a middleware that sets a bearer token on each request to the client's own origins.
  ///
  /// ```swift
  /// let session = CurrentValue<Session?>(nil)
  /// configuration.middleware = [.bearer { session.value?.token }]
  /// ```
  /// A token with invalid characters fails the request with ``NetworkError/Code/invalidCredentials``.
  /// As middleware of a request, it runs for the URL of that request, whatever its origin.
  /// - Parameter token: Returns the token for each attempt; `nil` sets none. Called on any thread, for the first
  ///   attempt usually the subscriber's; it must not block.
  /// - Returns: The middleware.
  public static func bearer(_ token: @escaping @Sendable () -> String?) -> HeaderMiddleware {
    HeaderMiddleware(authorization: { (_) throws(NetworkError) in
      try token().map { (token) throws(NetworkError) in try .bearer(token: token) }
    })
  }

  /// Returns a middleware that sets Basic authentication (RFC 7617) on each request to the client's own origins.
  ///
  /// A colon in the user name, or a control character in the user name or the password, fails the request with
  /// ``NetworkError/Code/invalidCredentials``. As middleware of a request, it runs for the URL of that request,
  /// whatever its origin.
  /// - Parameters:
  ///   - user: The user name.
  ///   - password: The password.
  /// - Returns: The middleware.
  public static func basic(user: String, password: String) -> HeaderMiddleware {
    HeaderMiddleware(authorization: { (_) throws(NetworkError) in try .basic(user: user, password: password) })
  }

  /// Returns a middleware that sets `Authorization` on each request to the client's own origins, from a signal.
  ///
  /// ```swift
  /// configuration.middleware = [
  ///   .authorization { vault.token().tryMap { (token) throws(NetworkError) in try .bearer(token: token) } }
  /// ]
  /// ```
  /// As middleware of a request, it runs for the URL of that request, whatever its origin. RFC 7617, RFC 6750.
  ///
  /// - Warning: The signal must not send requests with a client that has this middleware, because each of them would
  ///   call the closure again, without end. Use a client without it; a ``Recovery`` fetches a token once for all
  ///   requests that wait.
  /// - Parameter value: Returns the value for each attempt; `nil` sets none, and neither does a signal that completes
  ///   without a value. A failure fails the exchange. The signal may be asynchronous, for instance to fetch a token.
  ///   Called on any thread, for the first attempt usually the subscriber's; it must not block.
  /// - Returns: The middleware.
  public static func authorization(
    _ value: @escaping @Sendable () -> Signal<Authorization?, NetworkError>
  ) -> HeaderMiddleware {
    HeaderMiddleware("Authorization") { _ in value().map { $0?.headerValue }.ifEmpty(nil) }
  }
}
