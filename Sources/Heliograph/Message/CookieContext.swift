/// The cookies that one request may read and set, whatever happens to those of the client meanwhile.
protocol CookieJar: Sendable {
  /// The value of the `Cookie` field for a request; `nil` if there is no cookie for it.
  func field(for request: HTTPRequest) -> String?
  /// Stores the cookies that a response to a request sets.
  func keep(_ fields: [String], of request: HTTPRequest)
}

/// What a request carries for cookies beside its own fields.
struct CookieContext: Sendable {
  /// The jar of the identity that the request began with; `nil` if its transport has one for all requests.
  var jar: (any CookieJar)?
  /// Whether a redirect from another site has led here: RFC 6265bis §5.2.
  var isCrossSite = false
}
