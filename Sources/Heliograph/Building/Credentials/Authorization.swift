internal import Foundation

/// A value of the header field `Authorization`; no description or dump of it shows what it says.
///
/// RFC 9110 §11.6.2.
public struct Authorization: Sendable {
  private let value: Secret<String>

  /// The value as it goes over the wire: a secret, which ``HTTPHeaders`` does not show under this field's name.
  public var headerValue: String { value.reveal() }

  /// A user's name and password, as RFC 7617 has them.
  ///
  /// Both are sent in UTF-8 and Unicode's normalization form C (RFC 7617 §2.1); either may be empty. Anybody on the way
  /// can read them unless the address is `https`.
  ///
  /// - Parameters:
  ///   - user: the name, without a colon.
  ///   - password: the password.
  /// - Returns: `Basic` with both in Base64.
  /// - Throws: a `client` error with the code ``NetworkError/Code/invalidCredentials``, for a colon in the name and for
  ///   control characters.
  public static func basic(user: String, password: String) throws(NetworkError) -> Authorization {
    let user = Data(user.precomposedStringWithCanonicalMapping.utf8)
    let password = Data(password.precomposedStringWithCanonicalMapping.utf8)
    guard !user.contains(UInt8(ascii: ":")) else { throw refusal("the user's name holds a colon") }
    // CTL of RFC 5234 appendix B.1.
    guard !(user + password).contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw refusal("the user's name or password holds control characters")
    }
    let pair = user + [UInt8(ascii: ":")] + password
    return Authorization(value: Secret("Basic " + pair.base64EncodedString()))
  }

  /// A token, as RFC 6750 has it.
  ///
  /// - Parameter token: letters, digits and `-._~+/`, then any number of `=` (RFC 6750 §2.1).
  /// - Returns: `Bearer` with the token.
  /// - Throws: a `client` error with the code ``NetworkError/Code/invalidCredentials``, if the token is anything else.
  public static func bearer(token: String) throws(NetworkError) -> Authorization {
    let core = token.utf8.prefix { $0 != UInt8(ascii: "=") }
    let padding = token.utf8.dropFirst(core.count)
    guard !core.isEmpty, core.allSatisfy(\.isTokenByte), padding.allSatisfy({ $0 == UInt8(ascii: "=") }) else {
      throw refusal("the token is empty or holds characters that no token may")
    }
    return Authorization(value: Secret("Bearer " + token))
  }

  private static func refusal(_ reason: String) -> NetworkError {
    NetworkError(.client, .invalidCredentials, reason: reason)
  }
}

extension Authorization: CustomStringConvertible, CustomDebugStringConvertible {
  /// The scheme, without what is secret.
  public var description: String { "\(headerValue.prefix { $0 != " " }) <redacted>" }
  /// The same as ``description``.
  public var debugDescription: String { description }
}

extension UInt8 {
  /// Whether it may stand in a `b64token` before the equals signs.
  ///
  /// RFC 6750 §2.1.
  fileprivate var isTokenByte: Bool {
    switch self {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~+/".utf8.contains(self)
    }
  }
}
