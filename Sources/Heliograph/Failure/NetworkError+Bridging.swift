public import Foundation

#if canImport(ObjectiveC)
extension NetworkError: CustomNSError {}
#endif

extension NetworkError {
  /// The domain of the bridged error, which depends on ``Domain``.
  ///
  /// `CustomNSError` has one domain per type, `Error` one per value. On Linux, only the domain of `CustomNSError` would
  /// be used, so `NetworkError` does not conform to it there, and the user info of `self as NSError` contains only the
  /// message and the reason.
  public var _domain: String { hasURLLoadingCode ? NSURLErrorDomain : domain.name }

  /// The same as ``errorCode``.
  public var _code: Int { errorCode }

  /// The code of the bridged error.
  ///
  /// | error | domain | code |
  /// |---|---|---|
  /// | network, and client ``Code/cancelled`` | `NSURLErrorDomain` | the URL loading system's |
  /// | processing, ``Code/invalidEnvelope`` | `NSURLErrorDomain` | -1011, `NSURLErrorBadServerResponse` |
  /// | processing, of a base validator | `NSURLErrorDomain` | -1011 |
  /// | api, ``Code/rejected`` | `NSURLErrorDomain` | -1011 |
  /// | any other | ``Domain/name`` | the number of its code, -1011 for a text |
  public var errorCode: Int { isBadResponse ? Code.invalidResponse.number : code.number }

  /// The user info of the bridged error, without header fields, query and body, but for the server's own message.
  ///
  /// It contains the message, the reason, the domain under ``domainKey``, the URL without user information and query,
  /// the status under ``statusCodeKey``, and domain and code of the underlying error.
  /// `NSLocalizedFailureReasonErrorKey` contains the message sent by the server, or else the reason for developers. The
  /// body is not included: it is in ``response`` and, on demand, in ``nsError(includingBody:)``.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [
      NSLocalizedDescriptionKey: message, NetworkError.domainKey: domain.rawValue,
    ]
    if let failureReason { info[NSLocalizedFailureReasonErrorKey] = failureReason }
    if let url = request?.url.withoutSecrets { info[NSURLErrorFailingURLErrorKey] = url }
    if let statusCode { info[NetworkError.statusCodeKey] = statusCode }
    if let underlying {
      // The user info of the underlying error may contain the whole URL or an excerpt of the body.
      let bridged = underlying as NSError
      info[NSUnderlyingErrorKey] = NSError(domain: bridged.domain, code: bridged.code)
    }
    return info
  }

  /// The `userInfo` key for the name of the domain.
  public static let domainKey = "HeliographDomain"
  /// The `userInfo` key for the HTTP status code.
  public static let statusCodeKey = "HeliographStatusCode"
  /// The `userInfo` key for the response body in ``nsError(includingBody:)``.
  public static let bodyKey = "HeliographBody"

  /// The bridged `NSError` with all of ``errorUserInfo`` on every platform.
  public var nsError: NSError { nsError(includingBody: false) }

  /// Returns the bridged `NSError`, optionally with the body of the response.
  ///
  /// Crash reporters upload the user info of errors: do not pass them an error with a body.
  /// - Parameter includesBody: Whether the user info contains the body under ``bodyKey``.
  /// - Returns: The bridged error.
  public func nsError(includingBody includesBody: Bool) -> NSError {
    var info = errorUserInfo
    if includesBody, let response { info[NetworkError.bodyKey] = response.value }
    return NSError(domain: _domain, code: errorCode, userInfo: info)
  }

  private var isBadResponse: Bool {
    code == .invalidEnvelope || code == .rejected || (marks.isOfBaseValidator && domain == .processing)
  }
  private var hasURLLoadingCode: Bool { domain == .network || isBadResponse || isCancelled }
}

extension NetworkError.Domain {
  /// The domain of the bridged `NSError`, such as `HeliographAPIErrorDomain`.
  public var name: String {
    switch self {
    case .client: "HeliographClientErrorDomain"
    case .network: NSURLErrorDomain
    case .server: "HeliographServerErrorDomain"
    case .api: "HeliographAPIErrorDomain"
    case .processing: "HeliographProcessingErrorDomain"
    }
  }
}

extension URL {
  /// The URL's scheme, host, port and path.
  fileprivate var withoutSecrets: URL? {
    var text = absoluteString.redactedAddress
    if text.hasSuffix("?…") { text.removeLast(2) }
    return URL(string: text)
  }
}

extension NetworkError: LocalizedError {
  /// The user-facing message.
  public var errorDescription: String? { message }
  /// The message sent by the server, or else the reason for developers.
  public var failureReason: String? { serverMessage ?? (loggedReason.isEmpty ? nil : loggedReason) }
}
