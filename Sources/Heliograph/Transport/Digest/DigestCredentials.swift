internal import Foundation

/// A user name and password for Digest authentication (RFC 7616).
///
/// Both are secret: no description or dump shows them.
struct DigestCredentials: Sendable {
  private let contents: Secret<(user: String, password: String)>

  /// Creates credentials.
  ///
  /// Both strings are used as UTF-8 in Unicode normalization form C (RFC 7616 §4). Either may be empty.
  ///
  /// - Parameters:
  ///   - user: The user name, without a colon.
  ///   - password: The password.
  /// - Throws: A `client` error with the code ``NetworkError/Code/invalidCredentials`` for a colon in the user name, or
  ///   a control character in the user name or the password.
  init(user: String, password: String) throws(NetworkError) {
    let user = user.precomposedStringWithCanonicalMapping
    let password = password.precomposedStringWithCanonicalMapping
    guard !user.utf8.contains(UInt8(ascii: ":")) else {
      throw NetworkError(.invalidCredentials, reason: "the user name contains a colon")
    }
    guard !(user.utf8 + Array(password.utf8)).contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw NetworkError(
        .invalidCredentials, reason: "the user name or password contains control characters")
    }
    contents = Secret((user, password))
  }

  var user: String { contents.reveal().user }
  var password: String { contents.reveal().password }
}

extension DigestCredentials: _Summarized {
  /// The scheme, without user name and password.
  var description: String { "Digest <redacted>" }
}
