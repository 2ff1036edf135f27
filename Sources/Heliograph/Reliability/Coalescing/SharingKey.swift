import Foundation

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
    // A signature contains a time and a nonce, so it differs in each request.
    var key = request.context.unsigned ?? request
    // The cache adds its conditions to the signed request.
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
