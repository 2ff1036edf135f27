/// The identity with which a request began, as transports see it.
protocol RequestIdentity: AnyObject, Sendable {
  /// Whether the account or the environment has changed, so that the request must end and nothing more of it is sent.
  var isStale: Bool { get }
  /// The account and the environment as text, equal in every process.
  var text: String { get }
}

/// The cookies of one identity, independent of later changes of the client's cookies.
protocol CookieJar: AnyObject, Sendable {
  /// Returns the value of the `Cookie` field for a request; `nil` if there is no cookie for it.
  func field(for request: HTTPRequest) -> String?
  /// Stores the cookies that a response to a request sets.
  func save(_ fields: [String], of request: HTTPRequest)
}

/// The identity of a request, and whether the request is cross-site.
struct RequestBinding: Sendable {
  /// The identity; `nil` if the client has neither accounts nor environments.
  var identity: (any RequestIdentity)?
  /// The cookies of the identity or of the client; `nil` if the client has none.
  var jar: (any CookieJar)?
  /// Whether a redirect from another site has led to this request (RFC 6265bis §5.2).
  var isCrossSite = false
}

extension HTTPRequest {
  /// Whether the identity has changed since the request began.
  ///
  /// A stage about to send the request then drops it silently; the failure is reported elsewhere.
  package var isStale: Bool { binding.identity?.isStale ?? false }

  /// The identity of the request for use in keys; `nil` without one.
  package var identityText: String? { binding.identity?.text }
}
