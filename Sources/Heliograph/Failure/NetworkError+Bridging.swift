public import Foundation

#if canImport(ObjectiveC)
extension NetworkError: CustomNSError {}
#endif

extension NetworkError {
  /// The domain of the bridged error: one for each ``Domain``.
  ///
  /// `CustomNSError` has a domain for a whole type; `Error` asks each value. On Linux the former alone would count, so there
  /// `NetworkError` does not conform to it, and `self as NSError` has no more user info than the message and the reason.
  public var _domain: String { hasURLLoadingCode ? NSURLErrorDomain : domain.name }

  /// The same as ``errorCode``.
  public var _code: Int { errorCode }

  /// The code of the bridged error.
  ///
  /// | error | domain | code |
  /// |---|---|---|
  /// | network, and client ``Code/cancelled`` | `NSURLErrorDomain` | the URL loading system's |
  /// | processing, ``Code/badEnvelope`` | `NSURLErrorDomain` | -1011, `NSURLErrorBadServerResponse` |
  /// | api without a number of its own | `NSURLErrorDomain` | -1011 |
  /// | any other | ``Domain/name`` | its code |
  public var errorCode: Int { isBadAnswer ? Code.invalidResponse.rawValue : code.rawValue }

  /// The user info of the bridged error: safe to log and to report.
  ///
  /// It holds the message, the reason, the domain under ``domainKey``, the address without user and query, the status
  /// under ``statusCodeKey``, and domain and code of the underlying error. `NSLocalizedFailureReasonErrorKey` has the text
  /// that the server's answer states, and the developer's reason where it states none. The body is in none of it: it is in
  /// ``response`` and, on demand, in ``nsError(includingBody:)``.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [
      NSLocalizedDescriptionKey: message, NetworkError.domainKey: domain.rawValue,
    ]
    if let failureReason { info[NSLocalizedFailureReasonErrorKey] = failureReason }
    if let url = request?.url.withoutSecrets { info[NSURLErrorFailingURLErrorKey] = url }
    if let statusCode { info[NetworkError.statusCodeKey] = statusCode }
    if let underlying {
      // What else it says may hold the whole address or a part of the body.
      let bridged = underlying as NSError
      info[NSUnderlyingErrorKey] = NSError(domain: bridged.domain, code: bridged.code)
    }
    return info
  }

  /// Where the bridged error's user info keeps the domain's name.
  public static let domainKey = "HeliographDomain"
  /// Where the bridged error's user info keeps the HTTP status code.
  public static let statusCodeKey = "HeliographStatusCode"
  /// Where the user info of ``nsError(includingBody:)`` keeps the body of the response.
  public static let bodyKey = "HeliographBody"

  /// The error for code that knows `NSError` alone, with all of ``errorUserInfo`` on every platform.
  public var nsError: NSError { nsError(includingBody: false) }

  /// The error for code that knows `NSError` alone, with the body of the response on demand.
  ///
  /// Crash reporters upload the user info of errors: keep one with a body away from them.
  /// - Parameter includesBody: whether the user info holds the body under ``bodyKey``.
  /// - Returns: the bridged error.
  public func nsError(includingBody includesBody: Bool) -> NSError {
    var info = errorUserInfo
    if includesBody, let response { info[NetworkError.bodyKey] = response.value }
    return NSError(domain: _domain, code: errorCode, userInfo: info)
  }

  private var isBadAnswer: Bool { code == .badEnvelope || code == .invalidResponse }
  private var hasURLLoadingCode: Bool { domain == .network || isBadAnswer || isCancelled }
}

extension NetworkError.Domain {
  /// The domain of a bridged `NSError`, such as `HeliographAPIErrorDomain`.
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
  /// Scheme, host, port and path.
  fileprivate var withoutSecrets: URL? {
    var text = absoluteString.redactedAddress
    if text.hasSuffix("?…") { text.removeLast(2) }
    return URL(string: text)
  }
}
