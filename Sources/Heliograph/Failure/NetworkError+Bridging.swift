public import Foundation

extension NetworkError: CustomNSError {
  /// The domain of the error where it is bridged as it is; ``nsError`` has one for each part of the way.
  public static var errorDomain: String { "HeliographErrorDomain" }
  /// The code of the bridged error.
  public var errorCode: Int { code.rawValue }
  /// The user info of the bridged `NSError`.
  ///
  /// It holds the message, the reason, the domain under ``domainKey``, the address, the status under ``statusCodeKey``,
  /// the body under ``bodyKey`` and the underlying error.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [
      NSLocalizedDescriptionKey: message, NetworkError.domainKey: domain.rawValue,
    ]
    if !reason.isEmpty { info[NSLocalizedFailureReasonErrorKey] = reason }
    if let url = request?.url { info[NSURLErrorFailingURLErrorKey] = url }
    if let statusCode { info[NetworkError.statusCodeKey] = statusCode }
    if let response { info[NetworkError.bodyKey] = response.value }
    if let underlying { info[NSUnderlyingErrorKey] = underlying as NSError }
    return info
  }

  /// Where the bridged error's user info keeps the domain's name.
  public static let domainKey = "HeliographDomain"
  /// Where the bridged error's user info keeps the HTTP status code.
  public static let statusCodeKey = "HeliographStatusCode"
  /// Where the bridged error's user info keeps the body of the response.
  public static let bodyKey = "HeliographBody"

  /// The error for code that knows `NSError` alone: domain and code as such code compares them.
  ///
  /// | error | domain | code |
  /// |---|---|---|
  /// | network | `NSURLErrorDomain` | the URL loading system's |
  /// | processing, ``Code/badEnvelope`` | `NSURLErrorDomain` | -1011, `NSURLErrorBadServerResponse` |
  /// | api without a number of its own | `NSURLErrorDomain` | -1011 |
  /// | any other | ``Domain/name`` | its code |
  ///
  /// Requirements S2-7, S4-13.
  public var nsError: NSError {
    let isBadAnswer = code == .badEnvelope || code == .badResponse
    if domain == .network || isBadAnswer {
      let code = isBadAnswer ? Code.badResponse : code
      return NSError(domain: NSURLErrorDomain, code: code.rawValue, userInfo: errorUserInfo)
    }
    return NSError(domain: domain.name, code: code.rawValue, userInfo: errorUserInfo)
  }
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
