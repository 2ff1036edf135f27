/// The credentials of a customer.
struct Credentials: Codable, Sendable {
  let email: String
  let password: String
}

/// A session: its token, and the token that renews it.
struct Session: Codable, Hashable, Sendable {
  let token: String
  /// Renews the session when the token has expired; valid once.
  let renewal: String
}

/// The profile of a customer.
struct Profile: Codable, Identifiable, Hashable, Sendable {
  let id: Int
  let name: String
  let email: String
}

/// A customer who has signed in, with all that the account screen shows.
struct Account: Hashable, Sendable {
  let session: Session
  let profile: Profile
  let orders: [Order]
}
