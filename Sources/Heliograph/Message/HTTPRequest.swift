public import Foundation

/// What goes over the wire: everything is decided, nothing is left to defaults.
public struct HTTPRequest: Sendable, Hashable {
  /// The method.
  public var method: HTTPMethod {
    get { box.contents.method }
    set { set { $0.method = newValue } }
  }
  /// An absolute `http` or `https` address.
  public var url: URL {
    get { box.contents.url }
    set { set { $0.url = newValue } }
  }
  /// The header fields.
  ///
  /// A transport adds what the protocol needs, such as `Host` and `Content-Length`.
  public var headers: HTTPHeaders {
    get { box.contents.headers }
    set { set { $0.headers = newValue } }
  }
  /// The body.
  public var body: HTTPBody {
    get { box.contents.body }
    set { set { $0.body = newValue } }
  }
  /// The idle time-out: the maximum time in which no byte is sent or received.
  ///
  /// Default: 60 seconds.
  public var idleTimeout: Duration {
    get { box.contents.idleTimeout }
    set { set { $0.idleTimeout = newValue } }
  }
  /// The total time-out: the maximum time from the subscription to the end, with queues and redirects.
  ///
  /// Of a client's request it also covers middleware, token refreshes, retries with their delays, and reading. A transport
  /// inside a redirect chain or behind a queue gets what is left of it. Default: `nil`, no limit.
  public var totalTimeout: Duration? {
    get { box.contents.totalTimeout }
    set { set { $0.totalTimeout = newValue } }
  }
  /// What is refused as too much.
  public var limits: ResponseLimits {
    get { box.contents.limits }
    set { set { $0.limits = newValue } }
  }
  /// Whether it may be sent once more, if a connection that was kept from an earlier exchange turns out to be closed
  /// before any answer has come.
  ///
  /// Default: what the method says (RFC 9110 §9.2.2), so a `POST` is not sent twice.
  public var isIdempotent: Bool {
    get { box.contents.isIdempotent }
    set { set { $0.isIdempotent = newValue } }
  }
  /// Whether it starts before or after others that wait for a place.
  ///
  /// Default: ``RequestPriority/normal``.
  public var priority: RequestPriority {
    get { box.contents.priority }
    set { set { $0.priority = newValue } }
  }

  /// What is done with redirects of this request.
  ///
  /// Default: `nil`, what the ``RedirectingTransport`` that carries it says.
  public var redirects: RedirectPolicy? {
    get { box.contents.redirects }
    set { set { $0.redirects = newValue } }
  }
  /// Whether a redirect may take the body to another origin; otherwise such a redirect fails with
  /// ``NetworkError/Code/redirectRefused``.
  ///
  /// Default: `false`.
  public var sendsBodyAcrossOrigins: Bool {
    get { box.contents.sendsBodyAcrossOrigins }
    set { set { $0.sendsBodyAcrossOrigins = newValue } }
  }
  /// Whether it may go over plain http, at first and after a redirect; to this very machine it always may.
  ///
  /// A redirect from https to http is refused in any case. Default: `false`.
  public var allowsInsecureHTTP: Bool {
    get { box.contents.allowsInsecureHTTP }
    set { set { $0.allowsInsecureHTTP = newValue } }
  }
  /// The identity of the request, by which monitors name it.
  ///
  /// Copies and changed copies keep it; it does not count when two requests are compared.
  public var id: RequestID { box.context.id }
  /// The number of the attempt, counted from 1: retries, and replays after a ``Recovery``, are further attempts.
  public var attempt: Int { box.context.attempt }
  /// When all that is done for it must have ended; `nil` without a total time-out, or where nobody watches it yet.
  package var deadline: Deadline? { box.context.deadline }
  /// What it carries beside its own fields.
  package var context: RequestContext {
    get { box.context }
    set { box = Box(box.contents, newValue) }
  }

  /// Whom it belongs to; copies keep it, and it does not count when two requests are compared.
  var binding: RequestBinding {
    get { box.context.binding }
    set { context.binding = newValue }
  }

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - method: the method. Default: `GET`.
  ///   - url: an absolute address.
  ///   - headers: the header fields. Default: none.
  ///   - body: the body. Default: none.
  ///   - idleTimeout: The maximum time in which no byte is sent or received. Default: 60 seconds.
  ///   - totalTimeout: the maximum time from the subscription to the end. Default: no limit.
  ///   - limits: what is refused as too much. Default: see ``ResponseLimits``.
  ///   - isIdempotent: whether it may be sent again on another connection. Default: what the method says.
  ///   - priority: whether it starts before or after others that wait. Default: ``RequestPriority/normal``.
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
    box = Box(
      Contents(
        method: method, url: url, headers: headers, body: body, idleTimeout: idleTimeout, totalTimeout: totalTimeout,
        limits: limits,
        isIdempotent: isIdempotent ?? method.isIdempotent, priority: priority),
      context)
  }

  /// The request with the context of another one, which it replaces.
  func belonging(to original: HTTPRequest) -> HTTPRequest {
    if id == original.id { return self }
    var request = self
    request.context = original.context
    return request
  }

  /// What it holds, apart: as one word it is cheap to hand on, which is done often.
  private struct Contents: Sendable, Hashable {
    var method: HTTPMethod
    var url: URL
    var headers: HTTPHeaders
    var body: HTTPBody
    var idleTimeout: Duration
    var totalTimeout: Duration?
    var limits: ResponseLimits
    var isIdempotent: Bool
    var priority: RequestPriority
    var redirects: RedirectPolicy?
    var sendsBodyAcrossOrigins = false
    var allowsInsecureHTTP = false
  }

  private final class Box: Sendable {
    let contents: Contents
    let context: RequestContext

    init(_ contents: Contents, _ context: RequestContext) {
      self.contents = contents
      self.context = context
    }
  }

  private var box: Box

  private mutating func set(_ change: (inout Contents) -> Void) {
    var contents = box.contents
    change(&contents)
    box = Box(contents, box.context)
  }

  /// Whether both say the same.
  public static func == (left: HTTPRequest, right: HTTPRequest) -> Bool { left.box.contents == right.box.contents }

  /// Hashes all that it says.
  public func hash(into hasher: inout Hasher) { hasher.combine(box.contents) }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Method and address on one line, without user, password and query, which may be secret.
  public var description: String { "\(method.rawValue.singleLine) \(url.redacted)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Method, redacted address and header fields; neither query nor body.
  public var customMirror: Mirror {
    Mirror(self, children: ["method": method, "url": url.redacted, "headers": headers], displayStyle: .struct)
  }
}

extension URL {
  /// The address without what may be secret: user, password, query and fragment; percent-escapes stay.
  package var redacted: String { absoluteString.redactedAddress }
}
