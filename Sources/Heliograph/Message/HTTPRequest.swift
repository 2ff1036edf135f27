public import Foundation

/// An HTTP request as sent: all defaults have been applied.
public struct HTTPRequest: Sendable, Hashable {
  /// The request method, such as `GET`.
  public var method: HTTPMethod {
    get { stored.value.contents.method }
    set { stored.value.contents.method = newValue }
  }
  /// The absolute `http` or `https` URL.
  public var url: URL {
    get { stored.value.contents.url }
    set { stored.value.contents.url = newValue }
  }
  /// The header fields to send.
  ///
  /// A transport adds the fields required by the protocol, such as `Host` and `Content-Length`.
  public var headers: HTTPHeaders {
    get { stored.value.contents.headers }
    _modify { yield &stored.value.contents.headers }
  }
  /// The content that is sent; `.empty` for a request without a body.
  public var body: HTTPBody {
    get { stored.value.contents.body }
    set { stored.value.contents.body = newValue }
  }
  /// The idle timeout: the maximum time without a byte sent or received.
  ///
  /// The timer pauses while the transport waits for the consumer or the body's source. The transport's documentation
  /// lists the events that restart it. Default: 60 seconds.
  public var idleTimeout: Duration {
    get { stored.value.contents.idleTimeout }
    set { stored.value.contents.idleTimeout = newValue }
  }
  /// The total timeout: the maximum time from subscription to completion, including queues and redirects.
  ///
  /// For a client's request it also covers middleware, token refreshes, retries with their delays, and reading the
  /// response. Within a redirect chain or behind a queue, a transport receives the remaining time. Default: `nil`, no
  /// limit.
  public var totalTimeout: Duration? {
    get { stored.value.contents.totalTimeout }
    set { stored.value.contents.totalTimeout = newValue }
  }
  /// The limits for the size of the response.
  public var limits: ResponseLimits {
    get { stored.value.contents.limits }
    set { stored.value.contents.limits = newValue }
  }
  /// Whether the request may be sent again: on a new connection, by a ``Retry``, and after a wait for a network.
  ///
  /// Default: ``HTTPMethod/isIdempotent`` of the current ``method`` (RFC 9110 §9.2.2), so a `POST` is not sent twice. Nor
  /// is a `PUT` or another change with a precondition such as `If-Match`: if only the response is lost, the repeated
  /// request fails with a 412 because of its own change.
  public var isIdempotent: Bool {
    get {
      stored.value.contents.isIdempotent ?? (method.isIdempotent && !(method.mayChange && headers.hasPrecondition))
    }
    set { stored.value.contents.isIdempotent = newValue }
  }
  /// The priority in the queues for connections and concurrency limits.
  ///
  /// Default: ``RequestPriority/normal``.
  public var priority: RequestPriority {
    get { stored.value.contents.priority }
    set { stored.value.contents.priority = newValue }
  }

  /// The cache policy of this request.
  ///
  /// Default: ``CachePolicy/none``.
  public var cachePolicy: CachePolicy {
    get { stored.value.contents.cachePolicy }
    set { stored.value.contents.cachePolicy = newValue }
  }
  /// The redirect policy of this request.
  ///
  /// Default: `nil`, ``NetworkClient/Configuration/redirects`` applies.
  public var redirects: RedirectPolicy? {
    get { stored.value.contents.redirects }
    set { stored.value.contents.redirects = newValue }
  }
  /// Whether a closure decides about redirects, which may retain anything.
  package var asksAboutRedirects: Bool {
    if case .decide = stored.value.contents.redirects?.rule { true } else { false }
  }
  /// Whether a redirect may send the body and the `Idempotency-Key` to another origin.
  ///
  /// If `false`, such a redirect of a body fails with ``NetworkError/Code/redirectRefused``. Default: `false`.
  public var sendsBodyAcrossOrigins: Bool {
    get { stored.value.contents.sendsBodyAcrossOrigins }
    set { stored.value.contents.sendsBodyAcrossOrigins = newValue }
  }
  /// Whether plain HTTP is allowed, including after a redirect; to the local machine it is always allowed.
  ///
  /// A redirect from HTTPS to HTTP is always rejected. Default: `false`.
  public var allowsInsecureHTTP: Bool {
    get { stored.value.contents.allowsInsecureHTTP }
    set { stored.value.contents.allowsInsecureHTTP = newValue }
  }
  /// The network costs that the request may incur, on Apple's platforms; see ``RequestOptions/allowedCosts``.
  ///
  /// Default: ``NetworkCosts/all``.
  public var allowedCosts: NetworkCosts {
    get { stored.value.contents.allowedCosts }
    set { stored.value.contents.allowedCosts = newValue }
  }
  /// The identifier by which monitors recognize the request.
  ///
  /// Copies share the identifier, even after changes; equality ignores it.
  public var id: RequestID { stored.value.context.id }
  /// The number of the attempt, counted from 1; each retry and each replay after a ``Recovery`` is a further attempt.
  public var attempt: Int { stored.value.context.attempt }
  /// The deadline of the request; `nil` without a total timeout, or if no stage enforces it yet.
  package var deadline: Deadline? { stored.value.context.deadline }
  var isStreamed: Bool { stored.value.context.isStreamed }
  /// The context of the request besides its own fields; each access copies the context, so the values that stages read
  /// have their own properties.
  package var context: RequestContext {
    get { stored.value.context }
    set { stored.value.context = newValue }
  }

  var provenance: CopyOnWrite<RequestProvenance>? {
    get { stored.value.context.provenance }
    // In place: copying the context would retain eight references.
    set { stored.value.context.provenance = newValue }
  }

  /// The binding to an identity; copies share it, and equality ignores it.
  var binding: RequestBinding {
    get { stored.value.context.binding }
    set { context.binding = newValue }
  }

  /// Creates a request to a URL.
  ///
  /// - Parameters:
  ///   - method: The method. Default: `GET`.
  ///   - url: The absolute URL.
  ///   - headers: The header fields. Default: none.
  ///   - body: The content to send. Default: none.
  ///   - idleTimeout: The maximum time without a byte sent or received. Default: 60 seconds.
  ///   - totalTimeout: The maximum time from subscription to completion. Default: no limit.
  ///   - limits: The limits for the size of the response. Default: see ``ResponseLimits``.
  ///   - isIdempotent: Whether the request may be sent again. Default: by the method and the preconditions; see
  ///     ``isIdempotent``.
  ///   - priority: The priority in queues. Default: ``RequestPriority/normal``.
  public init(
    method: HTTPMethod = .get, url: URL, headers: HTTPHeaders = [:], body: HTTPBody = .empty,
    idleTimeout: Duration = .seconds(60), totalTimeout: Duration? = nil, limits: ResponseLimits = ResponseLimits(),
    isIdempotent: Bool? = nil, priority: RequestPriority = .normal
  ) {
    self.init(
      method: method, url: url, headers: headers, body: body, idleTimeout: idleTimeout, totalTimeout: totalTimeout,
      limits: limits, isIdempotent: isIdempotent, priority: priority, context: RequestContext())
  }

  package init(
    method: HTTPMethod, url: URL, headers: HTTPHeaders, body: HTTPBody, idleTimeout: Duration, totalTimeout: Duration?,
    limits: ResponseLimits, isIdempotent: Bool?, priority: RequestPriority, context: RequestContext
  ) {
    let contents = Contents(
      method: method, url: url, headers: headers, body: body, idleTimeout: idleTimeout, totalTimeout: totalTimeout,
      limits: limits, isIdempotent: isIdempotent, priority: priority)
    stored = CopyOnWrite(Stored(contents: contents, context: context))
  }

  /// Makes the method decide again whether the request is idempotent.
  mutating func resetIdempotency() { stored.value.contents.isIdempotent = nil }

  /// Returns the request with the context of the request that it replaces.
  func withContext(of original: HTTPRequest) -> HTTPRequest {
    if id == original.id { return self }
    var request = self
    request.context = original.context
    return request
  }

  private struct Contents: Sendable, Hashable {
    var method: HTTPMethod
    var url: URL
    var headers: HTTPHeaders
    var body: HTTPBody
    var idleTimeout: Duration
    var totalTimeout: Duration?
    var limits: ResponseLimits
    /// `nil` for the default of the method, which may still change.
    var isIdempotent: Bool?
    var priority: RequestPriority
    var cachePolicy = CachePolicy.none
    var redirects: RedirectPolicy?
    var sendsBodyAcrossOrigins = false
    var allowsInsecureHTTP = false
    var allowedCosts = NetworkCosts.all
  }

  private struct Stored: Sendable {
    var contents: Contents
    var context: RequestContext
  }

  private var stored: CopyOnWrite<Stored>

  /// Returns whether all settable properties are equal.
  public static func == (left: HTTPRequest, right: HTTPRequest) -> Bool {
    left.comparedContents == right.comparedContents
  }

  /// Hashes all settable properties.
  public func hash(into hasher: inout Hasher) { hasher.combine(comparedContents) }

  /// The contents, with the default of ``isIdempotent`` as a value.
  private var comparedContents: Contents {
    var contents = stored.value.contents
    contents.isIdempotent = isIdempotent
    return contents
  }
}

extension HTTPRequest: _Summarized {
  /// Method and URL on one line, without user name, password and query, which may be secret.
  public var description: String { "\(method.rawValue.singleLine) \(url.redacted)" }
  /// Method, redacted URL and header fields; neither query nor body.
  public var customMirror: Mirror {
    Mirror(self, children: ["method": method, "url": url.redacted, "headers": headers], displayStyle: .struct)
  }
}

extension URL {
  /// The URL without user name, password, query and fragment, which may be secret; percent-escapes remain.
  package var redacted: String { absoluteString.redactedAddress }
}
