/// What a customer signs in with.
struct Credentials: Codable, Sendable {
  let email: String
  let password: String
}

/// What the server gives in return: the key to everything that belongs to the customer.
struct Session: Codable, Hashable, Sendable {
  let token: String
  /// Gives another session when the token has expired; good for once.
  let renewal: String
}

/// Who the customer is.
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
