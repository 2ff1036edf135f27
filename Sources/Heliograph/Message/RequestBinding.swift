/// The identity that a request began with, as transports see it.
protocol RequestIdentity: Sendable {
  /// Its cookies; `nil` if the client has none.
  var jar: (any CookieJar)? { get }
  /// Whether the request is to end because account or environment have changed: nothing more of it is sent.
  var isLeft: Bool { get }
}

/// The cookies of one identity, whatever happens to those of the client meanwhile.
protocol CookieJar: Sendable {
  /// The value of the `Cookie` field for a request; `nil` if there is no cookie for it.
  func field(for request: HTTPRequest) -> String?
  /// Stores the cookies that a response to a request sets.
  func keep(_ fields: [String], of request: HTTPRequest)
}

/// Whom a request belongs to.
struct RequestBinding: Sendable {
  /// `nil` if the client has neither accounts nor environments.
  var identity: (any RequestIdentity)?
  /// Whether a redirect from another site has led here: RFC 6265bis §5.2.
  var isCrossSite = false
}

extension HTTPRequest {
  /// Whether its identity has been left: who is about to send it drops it in silence, as its failure is on the way.
  var isLeft: Bool { binding.identity?.isLeft ?? false }
}
