/// One exchange of a sequence, and the decision about its response: a redirect is followed, a challenge is answered.
protocol ExchangeRule: Sendable {
  /// The request of the exchange, for errors.
  var request: HTTPRequest { get }
  /// Whether the exchange that follows this one counts as a redirect.
  var isRedirecting: Bool { get }

  /// Returns the request as sent; called once, immediately before it is sent.
  mutating func makeRequest() -> HTTPRequest

  /// Returns the exchange that follows a response, or `nil` if the response is to be delivered.
  ///
  /// - Throws: The error with which the sequence fails.
  func successor(after head: HTTPResponse) throws(NetworkError) -> Self?
}
