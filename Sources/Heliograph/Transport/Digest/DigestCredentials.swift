internal import Foundation

/// A user name and password for Digest authentication (RFC 7616).
///
/// Both are secret: no description or dump shows them.
struct DigestCredentials: Sendable {
  private let contents: Secret<(user: String, password: String)>

  init(user: String, password: String) throws(NetworkError) {
    contents = Secret(try Authorization.checked(user: user, password: password))
  }

  var user: String { contents.reveal().user }
  var password: String { contents.reveal().password }
}

extension DigestCredentials: _Summarized {
  var description: String { "Digest <redacted>" }
}
