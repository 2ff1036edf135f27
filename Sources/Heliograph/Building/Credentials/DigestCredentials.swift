internal import Foundation

/// A user's name and password for Digest authentication; no description or dump of it shows either.
///
/// RFC 7616.
public struct DigestCredentials: Sendable {
  private let contents: Secret<(user: String, password: String)>

  /// Makes credentials.
  ///
  /// Both are taken in UTF-8 and Unicode's normalization form C (RFC 7616 §4); either may be empty.
  ///
  /// - Parameters:
  ///   - user: the name, without a colon.
  ///   - password: the password.
  /// - Throws: a `client` error with the code ``NetworkError/Code/invalidCredentials``, for a colon in the name and for
  ///   control characters.
  public init(user: String, password: String) throws(NetworkError) {
    let user = user.precomposedStringWithCanonicalMapping
    let password = password.precomposedStringWithCanonicalMapping
    guard !user.utf8.contains(UInt8(ascii: ":")) else {
      throw NetworkError(.client, .invalidCredentials, reason: "the user's name holds a colon")
    }
    guard !(user.utf8 + Array(password.utf8)).contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw NetworkError(
        .client, .invalidCredentials, reason: "the user's name or password holds control characters")
    }
    contents = Secret((user, password))
  }

  var user: String { contents.reveal().user }
  var password: String { contents.reveal().password }
}

extension DigestCredentials: CustomStringConvertible, CustomDebugStringConvertible {
  /// Neither name nor password.
  public var description: String { "Digest <redacted>" }
  /// The same as ``description``.
  public var debugDescription: String { description }
}
