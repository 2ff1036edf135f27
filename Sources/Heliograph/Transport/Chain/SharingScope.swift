/// The properties besides those of the HTTP request in which requests that share an exchange must be equal.
struct SharingScope: Hashable, Sendable {
  /// The service, which determines the middleware.
  let service: ServiceID?
  /// Whether the service signs the request.
  let isSigned: Bool
  /// The trust level of the address, which determines the middleware, too.
  let reach: ResolvedRequest.Reach
  /// The counters of account and environment: nothing crosses a change of them.
  let account: Int
  let environment: Int
  /// Whether a change of environment ends the request, and so the exchange.
  let needsEnvironment: Bool
  /// The number of token refreshes before the request: one that is repeated after a refresh has another token than those
  /// in flight.
  let refreshCount: Int
  /// The number of unsafe requests that were answered or failed before the request: nothing older than a change is shared.
  var writeCount = 0
  /// The parameters that are not compared.
  let ignoredParameters: Set<String>
  /// The cookies of a client without accounts, which are credentials there.
  let cookie: String?
}
