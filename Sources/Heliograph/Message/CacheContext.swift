/// What the keys of the cache contain besides a request itself.
package final class CacheContext: Sendable {
  /// The account and the environment, as texts: no response crosses them.
  package let account: String?
  package let environment: String?
  /// The identifier of the service.
  package let service: String?
  /// The parameters that are not a part of the key.
  package let ignoredParameters: Set<String>
  /// Whether the client has accounts, whether or not a user is signed in.
  package let hasAccounts: Bool

  package init(
    account: String? = nil, environment: String? = nil, service: String? = nil, ignoredParameters: Set<String> = [],
    hasAccounts: Bool = false
  ) {
    self.account = account
    self.environment = environment
    self.service = service
    self.ignoredParameters = ignoredParameters
    self.hasAccounts = hasAccounts
  }
}
