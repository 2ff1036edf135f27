/// The properties besides the HTTP request that must be equal for requests to share an exchange.
struct SharingScope: Hashable, Sendable {
  /// The service, which determines the middleware.
  let service: ServiceID?
  /// Whether the service signs the request.
  let isSigned: Bool
  /// The trust level of the address, which also determines the middleware.
  let originTrust: ResolvedRequest.OriginTrust
  /// The change counters of account and environment, so that no exchange is shared across a change.
  let account: Int
  let environment: Int
  /// Whether a change of environment ends the request and thus the exchange.
  let needsEnvironment: Bool
  /// The number of token refreshes before the request, because later requests have another token.
  let refreshCount: Int
  /// The number of unsafe requests that ended before the request, so that no response from before a write is shared.
  var writeCount = 0
  /// The parameters that are not compared.
  let ignoredParameters: Set<String>
  /// The cookies of a client without accounts, which are credentials there.
  let cookie: String?
}
