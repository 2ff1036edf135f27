import Heliograph

/// A request of a case, the server's answer to it, and the expected response.
///
/// Texts may contain the placeholders of ``Placeholders``, such as `{now+60}`.
struct Exchange: Sendable {
  /// The method of the request.
  var method: HTTPMethod
  /// The path below that of the case, such as `/other` or `?page=2`; or an absolute URL.
  var path: String
  /// The time by which the clock is set forward before the request.
  var pause: Duration
  /// The time by which the clock is set forward while the server has the request.
  var duration: Duration
  /// The header fields of the request.
  var headers: HTTPHeaders
  /// The header fields that middleware adds to the request.
  var added: HTTPHeaders
  /// The body of the request.
  var content: String?
  /// The redirect policy of the request; `nil` means that redirects are followed.
  var redirects: RedirectPolicy?
  /// The account that is signed in before the request; `nil` means no change.
  var account: String?
  /// The environment that is selected before the request; `nil` means no change.
  var environment: ServiceEnvironment?
  /// The server's answer to the request of the foreground.
  var answer: Answer?
  /// The server's answers to other paths, to which redirects lead.
  var hops: [String: Answer]
  /// The server's answer to the request that the cache sends in the background; `nil` means that it sends none.
  var background: Answer?
  /// The expected behaviour of the cache.
  var expectation: Expectation
  /// The expected status; `nil` means that of the answer, or of the stored response.
  var status: Int?
  /// The expected body; `nil` means that of the answer, or of the stored response.
  var body: String?
  /// The checks of the response's header fields.
  var gives: FieldChecks
  /// The checks of the header fields of the last request that the server received.
  var sees: FieldChecks

  init(
    _ method: HTTPMethod = .get, path: String = "", after pause: Duration = .zero, taking duration: Duration = .zero,
    sends headers: HTTPHeaders = [:], adds added: HTTPHeaders = [:], content: String? = nil,
    redirects: RedirectPolicy? = nil, account: String? = nil,
    environment: ServiceEnvironment? = nil, answer: Answer? = nil, hops: [String: Answer] = [:],
    background: Answer? = nil, expect expectation: Expectation = .network, status: Int? = nil, body: String? = nil,
    gives: FieldChecks = [:], sees: FieldChecks = [:]
  ) {
    self.method = method
    self.path = path
    self.pause = pause
    self.duration = duration
    self.headers = headers
    self.added = added
    self.content = content
    self.redirects = redirects
    self.account = account
    self.environment = environment
    self.answer = answer
    self.hops = hops
    self.background = background
    self.expectation = expectation
    self.status = status
    self.body = body
    self.gives = gives
    self.sees = sees
  }
}

/// The expected behaviour of the cache in one exchange.
struct Expectation: Sendable {
  enum Kind: Sendable {
    case network
    case forwarded
    case cached
    case fallback
    case validated
    case notModified
    case gatewayTimeout
    case failure
    case error
    case any
  }

  let kind: Kind
  /// The number of the exchange, from 1, whose answer is reused; `nil` means the last one that could be stored.
  var origin: Int?

  /// One request without validators of the cache's own; the server's answer is delivered.
  static let network = Expectation(kind: .network)
  /// At least one request, conditional or not; the server's answer is delivered.
  static let forwarded = Expectation(kind: .forwarded)
  /// No request in the foreground; the stored response is delivered with its age.
  static let cached = Expectation(kind: .cached)
  /// A request that fails; the stored response is delivered with its age.
  static let fallback = Expectation(kind: .fallback)
  /// One conditional request; after a 304 the stored response is delivered, after anything else the answer.
  static let validated = Expectation(kind: .validated)
  /// No request; a 304 without a body is delivered, from the cache.
  static let notModified = Expectation(kind: .notModified)
  /// No request; a 504 is delivered.
  static let gatewayTimeout = Expectation(kind: .gatewayTimeout)
  /// A request that fails without a response.
  static let failure = Expectation(kind: .failure)
  /// A request that fails without a response, or a 5xx.
  static let error = Expectation(kind: .error)
  /// Any of these; only the stated checks apply.
  static let any = Expectation(kind: .any)

  /// The same as ``cached``, with the answer of an earlier exchange.
  static func cached(from origin: Int) -> Expectation { Expectation(kind: .cached, origin: origin) }
  /// The same as ``validated``, with the answer of an earlier exchange.
  static func validated(from origin: Int) -> Expectation { Expectation(kind: .validated, origin: origin) }
  /// The same as ``fallback``, with the answer of an earlier exchange.
  static func fallback(from origin: Int) -> Expectation { Expectation(kind: .fallback, origin: origin) }
}

extension Duration {
  static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
  static func hours(_ count: Int) -> Duration { .seconds(3600 * count) }
  static func days(_ count: Int) -> Duration { .seconds(86_400 * count) }
}
