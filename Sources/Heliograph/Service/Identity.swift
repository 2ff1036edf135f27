/// The identity that a request belongs to: an account in an environment.
///
/// Cookies, token refreshes and requests in flight belong to one identity and never change to another.
struct Identity: Sendable, Hashable {
  /// The signed-in account; `nil` if no account is signed in, or the client has no accounts.
  var account: String?
  /// The environment with its URL; `nil` if the client has no environments.
  var environment: EnvironmentStore.State?
}
