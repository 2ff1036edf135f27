import Signals

extension Middleware where Self == AuthorizationMiddleware {
  /// Returns a middleware that sets a bearer token on each request to the client's own origins.
  ///
  /// ```swift
  /// let session = CurrentValue<Session?>(nil)
  /// configuration.middleware = [.bearer { session.value?.token }]
  /// ```
  /// A token with invalid characters fails the request with ``NetworkError/Code/invalidCredentials``.
  /// - Parameter token: Returns the token for each attempt; `nil` sets none. Called on the subscriber's thread.
  /// - Returns: The middleware.
  public static func bearer(_ token: @escaping @Sendable () -> String?) -> AuthorizationMiddleware {
    AuthorizationMiddleware {
      do throws(NetworkError) {
        return .just(try token().map { (token) throws(NetworkError) in try Authorization.bearer(token: token) })
      } catch {
        return .fail(error)
      }
    }
  }

  /// Returns a middleware that sets user name and password (RFC 7617) on each request to the client's own origins.
  ///
  /// A user name with a colon, or control characters, fail the request with ``NetworkError/Code/invalidCredentials``.
  /// - Parameters:
  ///   - user: The user name.
  ///   - password: The password.
  /// - Returns: The middleware.
  public static func basic(user: String, password: String) -> AuthorizationMiddleware {
    AuthorizationMiddleware {
      do throws(NetworkError) {
        return .just(try Authorization.basic(user: user, password: password))
      } catch {
        return .fail(error)
      }
    }
  }
}
