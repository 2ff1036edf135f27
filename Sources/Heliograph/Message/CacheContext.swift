/// The values that distinguish cache keys besides the request itself.
package final class CacheContext: Sendable {
  /// The account as text; stored responses are not shared between accounts.
  package let account: String?
  /// The environment as text; stored responses are not shared between environments.
  package let environment: String?
  package let service: String?
  /// The query parameters that the key ignores.
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
