import Foundation

extension HTTPHeaders: ExpressibleByArrayLiteral {
  /// Creates a header from fields; names may repeat.
  public init(arrayLiteral elements: Field...) { self.init(elements) }
}

/// Common fields, with Alamofire's names, for a literal such as `[.accept("text/csv"), .authorization(bearerToken:
/// token)]`.
extension HTTPHeaders.Field {
  /// Returns `Authorization` with a bearer token.
  ///
  /// The token is not validated; `Middleware.bearer` validates it. Like any `Authorization` field, it is never sent to
  /// another origin by a redirect.
  /// - Parameter bearerToken: The token.
  /// - Returns: The field.
  public static func authorization(bearerToken: String) -> HTTPHeaders.Field {
    authorization("Bearer " + bearerToken)
  }

  /// Returns `Authorization` for Basic authentication (RFC 7617); user name and password are not validated.
  ///
  /// Like any `Authorization` field, it is never sent to another origin by a redirect.
  /// - Parameters:
  ///   - username: The user name, without a colon.
  ///   - password: The password.
  /// - Returns: The field.
  public static func authorization(username: String, password: String) -> HTTPHeaders.Field {
    let pair = "\(username):\(password)".precomposedStringWithCanonicalMapping
    return authorization("Basic " + Data(pair.utf8).base64EncodedString())
  }

  /// Returns `Authorization` with a value.
  public static func authorization(_ value: String) -> HTTPHeaders.Field { Self(name: "Authorization", value: value) }

  /// Returns `Accept` with a media type.
  public static func accept(_ value: String) -> HTTPHeaders.Field { Self(name: "Accept", value: value) }

  /// Returns `Accept-Language` with a language.
  public static func acceptLanguage(_ value: String) -> HTTPHeaders.Field {
    Self(name: "Accept-Language", value: value)
  }

  /// Returns `Content-Type` with a media type.
  public static func contentType(_ value: String) -> HTTPHeaders.Field { Self(name: "Content-Type", value: value) }

  /// Returns `User-Agent` with a text.
  public static func userAgent(_ value: String) -> HTTPHeaders.Field { Self(name: "User-Agent", value: value) }
}
