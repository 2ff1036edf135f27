import Foundation

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

/// The key by which identical requests find the exchange of the first one.
struct SharingKey: Hashable, Sendable {
  private let request: HTTPRequest
  private let scope: SharingScope

  /// Creates the key of a request; `nil` if the request must have an exchange of its own.
  init?(_ request: HTTPRequest, in scope: SharingScope) {
    guard request.method.isSafe else { return nil }
    switch request.body {
    case .empty, .data: break
    case .file, .stream: return nil
    }
    // A signature has a time and a nonce.
    var key = request.context.unsigned ?? request
    // The cache adds its condition to the signed request.
    for name in ["If-None-Match", "If-Modified-Since", "If-Range", "Range"] {
      key.headers[name] = request.headers[name]
    }
    let address = key.url.cacheAddress(ignoring: scope.ignoredParameters)
    if address != key.url.absoluteString, let url = URL(string: address) { key.url = url }
    key.totalTimeout = nil
    key.priority = .normal
    key.cachePolicy = .none
    // A key must not retain the request's deadline, cache or identity.
    key.context = RequestContext(id: request.id)
    self.request = key
    self.scope = scope
  }
}
