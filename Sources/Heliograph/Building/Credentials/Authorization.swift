internal import Foundation

/// A value of the header field `Authorization` (RFC 9110 §11.6.2).
///
/// It is a secret: no description or dump shows the credentials.
public struct Authorization: Sendable {
  private let value: Secret<String>

  /// The value as sent: a secret, which descriptions of ``HTTPHeaders`` redact.
  public var headerValue: String { value.reveal() }

  /// Returns Basic credentials: a user name and a password (RFC 7617).
  ///
  /// Both are sent as UTF-8 in Unicode normalization form C (RFC 7617 §2.1). Either may be empty. They are readable on
  /// the network unless the scheme is `https`.
  ///
  /// - Parameters:
  ///   - user: The user name, without a colon.
  ///   - password: The password.
  /// - Returns: `Basic` and the Base64 of `user:password`.
  /// - Throws: A `client` error with the code ``NetworkError/Code/invalidCredentials`` for a colon in the user name, or
  ///   a control character in the user name or the password.
  public static func basic(user: String, password: String) throws(NetworkError) -> Authorization {
    let (user, password) = try checked(user: user, password: password)
    return Authorization(value: Secret("Basic " + Data("\(user):\(password)".utf8).base64EncodedString()))
  }

  /// Returns Bearer credentials (RFC 6750).
  ///
  /// - Parameter token: Visible ASCII characters without spaces. RFC 6750 §2.1 has fewer, but the server defines its
  ///   tokens: those of Laravel Sanctum contain a `|`.
  /// - Returns: The credentials.
  /// - Throws: A `client` error with the code ``NetworkError/Code/invalidCredentials`` for any other token.
  public static func bearer(token: String) throws(NetworkError) -> Authorization {
    guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw refusal("the token is empty or contains spaces, control characters or characters outside ASCII")
    }
    return Authorization(value: Secret("Bearer " + token))
  }

  /// Creates credentials of any scheme, such as `token abc` or `ApiKey abc`.
  ///
  /// - Parameters:
  ///   - scheme: The name of the scheme: a token of RFC 9110 §5.6.2, sent as given.
  ///   - credentials: The text after the scheme: visible ASCII characters, and spaces between them.
  /// - Throws: A `client` error with the code ``NetworkError/Code/invalidCredentials`` for other characters.
  public init(scheme: String, credentials: String) throws(NetworkError) {
    guard scheme.isHTTPToken else {
      throw Self.refusal("the authentication scheme is not a token (RFC 9110)")
    }
    guard !credentials.isEmpty, !credentials.hasPrefix(" "), !credentials.hasSuffix(" "),
      credentials.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
    else { throw Self.refusal("the credentials are empty or contain characters not allowed in a header field") }
    value = Secret("\(scheme) \(credentials)")
  }

  private init(value: Secret<String>) { self.value = value }

  /// Returns a user name and a password in Unicode normalization form C; throws for a colon or a control character.
  static func checked(user: String, password: String) throws(NetworkError) -> (user: String, password: String) {
    let user = user.precomposedStringWithCanonicalMapping
    let password = password.precomposedStringWithCanonicalMapping
    guard !user.utf8.contains(UInt8(ascii: ":")) else { throw refusal("the user name contains a colon") }
    // CTL of RFC 5234 appendix B.1.
    guard !(user + password).utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw refusal("the user name or password contains control characters")
    }
    return (user, password)
  }

  private static func refusal(_ reason: String) -> NetworkError {
    NetworkError(.invalidCredentials, reason: reason)
  }
}

extension Authorization: _Summarized {
  /// The scheme, without the credentials.
  public var description: String { "\(headerValue.prefix { $0 != " " }) <redacted>" }
}
