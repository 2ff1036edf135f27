public import Foundation

/// An error of a request: its domain, code and user-facing message, with the request and response.
///
/// The set of codes is open: later versions may add some. A cancelled signal does not fail; it delivers nothing.
public struct NetworkError: Error, Sendable {
  /// The stage of a request that failed.
  public enum Domain: String, Sendable, Hashable, CaseIterable {
    /// The client stopped the request: it is invalid, there is no network, or a redirect, a token refresh or a file
    /// failed. Something may have been sent.
    case client
    /// No complete response was received.
    case network
    /// The server responded with an unsuccessful status.
    case server
    /// The server's response reports that the operation failed.
    case api
    /// The response could not be converted to the requested value.
    case processing
  }

  private struct Contents: Sendable {
    let code: Code
    /// The message from the server or the app.
    var message: String?
    var reason: String
    /// The excerpt of the body that belongs to the reason.
    var excerpt: String?
    var request: HTTPRequest?
    var response: Response<Data>?
    var metrics: Metrics?
    var underlying: (any Error)?
    var attribution: Attribution?
    var serverCode: Code?
    var serverMessage: String?
    var meaning: Meaning?
    var presentation: PresentationStyle?
    var log: RunLog?
    var marks = Marks()
  }

  /// Facts about the failure for the client's own decisions.
  package struct Marks: Sendable {
    /// The attempt whose failure needed a refresh, if the error is that of the refresh.
    var attemptBeforeRefresh: FailedAttempt?
    /// The decoded path of the request before its redirects and token refreshes; ``request`` may be a later one.
    ///
    /// `nil` if it is that of ``request``.
    var firstPath: String?
    /// Whether the error is that of a shared exchange, which another request began.
    package var isShared = false
    /// Whether middleware failed after a request that is not idempotent may have been sent, by the transport or by
    /// itself.
    var isAfterOrder = false
    /// Whether the body of the app cannot be sent again.
    var hasSpentBody = false
    /// Whether the file of a download has grown, so that its retries are counted anew.
    var isAfterProgress = false
    /// Whether a keep-alive connection was closed before a response to a request that is sent once.
    var isOfClosedConnection = false
    /// Whether a refresh has repaired the cause of the failure, but the request could not be sent again.
    var isRepaired = false
    /// Whether the message is from the messages of a request, a service or a client.
    var hasAppMessage = false
    var isOfBaseValidator = false
    var isOfEnvelope = false
  }

  private var contents: CopyOnWrite<Contents>

  /// The stage that failed: the domain of ``code``.
  public var domain: Domain { contents.value.code.domain }
  /// The identity of the error: its domain and the cause within it.
  public var code: Code { contents.value.code }
  /// The user-facing message, never empty: the app's, else the server's, cut after 4,096 bytes, else a built-in one.
  ///
  /// The built-in message is that for domain, code and attribution, in the user's language; see ``message(in:)``.
  public var message: String { contents.value.message ?? message(in: .current) }
  /// The cause for developers, such as the path of a missing field.
  ///
  /// It may end with an excerpt of at most 1,000 bytes, which ``description`` and the bridged `NSError` omit: up to 200
  /// bytes of a body that cannot be read, or the description of an error that the app's code threw. The reason is a
  /// single line: control characters are escaped.
  public var reason: String {
    let contents = contents.value
    return contents.excerpt.map { "\(contents.reason): \($0)" } ?? contents.reason
  }
  /// The reason without an excerpt of the body, for logs.
  var loggedReason: String { contents.value.reason }
  /// The maximum length of a body's excerpt in ``reason``.
  static let excerptByteCount = 200
  /// The request, if it was built; an error retains it with its body.
  public var request: HTTPRequest? {
    get { contents.value.request }
    set { contents.value.request = newValue }
  }
  /// The response with the body received so far, up to ``ResponseLimits/bodyByteCount``.
  public var response: Response<Data>? {
    get { contents.value.response }
    set { contents.value.response = newValue }
  }
  /// The metrics of the exchange up to the failure; `nil` if the exchange never started.
  public var metrics: Metrics? {
    get { contents.value.metrics }
    set { contents.value.metrics = newValue }
  }
  /// The error of a lower layer that caused this one; `nil` if there is none.
  public internal(set) var underlying: (any Error)? {
    get { contents.value.underlying }
    set { contents.value.underlying = newValue }
  }
  /// The party at fault and the evidence for it.
  ///
  /// The signals of a client add evidence to `network` errors. A transport or a timeout may set the party; otherwise it
  /// follows from domain, code and evidence.
  public var attribution: Attribution {
    get { contents.value.attribution ?? Attribution(code) }
    set { contents.value.attribution = newValue }
  }
  /// The party set by a transport; `nil` if it is derived from domain and code.
  var assignedParty: Attribution.Party? { contents.value.attribution?.party }
  /// The `api` code in the server's envelope, even if ``code`` is a rejected status; `nil` if there is none.
  ///
  /// Its description is the service's text, so that it converts to an enumeration:
  ///
  /// ```swift
  /// enum SaleCode: String { case soldOut = "sold_out", closed }
  /// let sale = error.serverCode.flatMap { SaleCode(rawValue: "\($0)") }
  /// ```
  public var serverCode: Code? {
    get { contents.value.serverCode }
    set { contents.value.serverCode = newValue }
  }
  /// The user-facing message sent by the server, without control characters and cut after 4,096 bytes; `nil` if there
  /// is none.
  ///
  /// ``message`` is the same, unless the app has its own message for the code.
  public var serverMessage: String? {
    get { contents.value.serverMessage }
    set { contents.value.serverMessage = newValue }
  }
  /// The presentation style set by the request; `nil` if it sets none.
  public var presentation: PresentationStyle? {
    get { contents.value.presentation }
    set { contents.value.presentation = newValue }
  }
  /// The meaning of ``serverCode`` for the app, if an envelope's table defines it.
  public var meaning: Meaning? {
    get { contents.value.meaning }
    set { contents.value.meaning = newValue }
  }

  package var marks: Marks {
    get { contents.value.marks }
    set { contents.value.marks = newValue }
  }

  /// Whether the error is that of a refresh that the request waited for.
  var isOfRefresh: Bool { marks.attemptBeforeRefresh != nil }

  /// Whether the body cannot be sent again: that of the app, or that of ``request``, which may have replaced it.
  var isBodySpent: Bool { marks.hasSpentBody || request?.body.isSpent == true }

  /// The decisions of the run; `nil` if no monitor observes it.
  var log: RunLog? {
    get { contents.value.log }
    set { contents.value.log = newValue }
  }

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The domain and the cause, such as `.timedOut` or `.status(503)`.
  ///   - message: The user-facing message. Default, and if blank: the built-in message in the user's language.
  ///   - reason: The cause for developers, cut after 1,000 bytes. Default: empty.
  ///   - request: The request, if it was built. Default: `nil`.
  ///   - response: The response with the body received so far. Default: `nil`.
  ///   - metrics: The metrics of the exchange up to the failure. Default: those of the response.
  ///   - underlying: The error of a lower layer that caused this one. Default: `nil`.
  public init(
    _ code: Code, message: String = "", reason: String = "", request: HTTPRequest? = nil,
    response: Response<Data>? = nil, metrics: Metrics? = nil, underlying: (any Error)? = nil
  ) {
    contents = CopyOnWrite(
      Contents(
        code: code, message: message.isBlank ? nil : message,
        reason: reason.singleLine.shortened(to: 1_000), request: request, response: response,
        metrics: metrics ?? response?.metrics, underlying: underlying))
  }

  /// The HTTP status code of the response, if there is one.
  public var statusCode: Int? { response?.statusCode }

  private func changing(_ change: (inout Contents) -> Void) -> NetworkError {
    var error = self
    change(&error.contents.value)
    return error
  }

  /// Returns the error with a server's message and code; existing ones remain.
  func withServerMessage(_ text: String?, _ code: Code?) -> NetworkError {
    changing {
      $0.message = $0.message ?? text
      $0.serverMessage = $0.serverMessage ?? text
      $0.serverCode = $0.serverCode ?? code
    }
  }

  /// The error of an envelope, with its code and message as those of the server, unless the envelope has set them.
  var reportedByServer: NetworkError {
    changing {
      $0.marks.isOfEnvelope = true
      if $0.code != .rejected { $0.serverCode = $0.serverCode ?? $0.code }
      $0.serverMessage = $0.serverMessage ?? $0.message
    }
  }

  var ofBaseValidator: NetworkError { changing { $0.marks.isOfBaseValidator = true } }

  var repaired: NetworkError { changing { $0.marks.isRepaired = true } }

  /// The cause on one line, without the request: domain, code and reason.
  var cause: String { "\(domain) error \(code)" + (loggedReason.isEmpty ? "" : ": \(loggedReason)") }

  func withAppMessage(_ message: String) -> NetworkError {
    changing {
      $0.message = message
      $0.marks.hasAppMessage = true
    }
  }

  func withReason(_ reason: String) -> NetworkError {
    changing { $0.reason = reason.singleLine.shortened(to: 1_000) }
  }

  /// Returns the error with a body excerpt, which ``reason`` includes and logs omit.
  func withExcerpt(_ excerpt: String) -> NetworkError {
    changing { $0.excerpt = excerpt.singleLine.shortened(to: 1_000) }
  }

  /// Returns the error with its request, unless it already has one.
  package func attaching(_ request: HTTPRequest) -> NetworkError { changing { $0.request = $0.request ?? request } }

  /// Returns the error with a response and its request, unless it already has them.
  func attaching(_ response: Response<Data>?) -> NetworkError {
    changing {
      $0.response = $0.response ?? response
      $0.request = $0.request ?? response?.request
    }
  }
}

extension NetworkError: _Summarized {
  /// The error on one line, for a log: domain, code, reason, request and status; no header, query or body.
  ///
  /// Line breaks and control characters are escaped.
  public var description: String {
    var text = cause
    if let request { text += " (\(request))" }
    if let statusCode, domain != .server { text += ", HTTP status \(statusCode)" }
    if let underlying {
      // Only domain and code: its other content may contain the whole URL or an excerpt of the body.
      let bridged = underlying as NSError
      text += " <- \(bridged.domain.singleLine) \(bridged.code)"
    }
    return text
  }
}
