public import Signals

/// A middleware that sets one header field on each request that does not have it.
///
/// It runs for own origins only, and a redirect to another origin removes a secret field: see ``Middleware``.
public struct HeaderMiddleware: Middleware {
  private let name: String
  private let value: @Sendable () -> String?

  init(_ name: String, _ value: @escaping @Sendable () -> String?) {
    self.name = name
    self.value = value
  }

  /// Sends the request with the header field.
  public func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
    guard request.headers[name] == nil, let value = value() else { return next(request) }
    var request = request
    request.headers[name] = value
    return next(request)
  }
}

extension Middleware where Self == HeaderMiddleware {
  /// Returns a middleware that sets a header field on each request to the client's own origins.
  ///
  /// ```swift
  /// configuration.middleware = [.header("X-Token") { session.value?.token }]
  /// ```
  /// A value with characters that no header field may contain fails the request.
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - isSecret: Whether the name joins ``HTTPHeaders/secretNames``, so that no log, error or cassette shows its values, and a
  ///     response to it is cached for its sender only. Default: `true`; pass `false` for a field such as `Accept-Language`.
  ///   - value: Returns the value for each attempt; `nil` sets none. Called on the subscriber's thread.
  /// - Returns: The middleware.
  public static func header(
    _ name: String, isSecret: Bool = true, _ value: @escaping @Sendable () -> String?
  ) -> HeaderMiddleware {
    if isSecret { HTTPHeaders.addSecretNames(name) }
    return HeaderMiddleware(name, value)
  }
}
