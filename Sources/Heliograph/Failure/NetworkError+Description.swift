public import Foundation

extension NetworkError: CustomStringConvertible {
  /// One line for a log: domain, code, reason, request and status; no header, query or body.
  public var description: String {
    var text = "\(domain) error \(code)"
    if !reason.isEmpty { text += ": \(reason)" }
    if let request { text += " (\(request))" }
    if let statusCode, domain != .server { text += ", HTTP status \(statusCode)" }
    if let underlying {
      // Domain and code alone: what else it says may hold the whole address or a part of the body.
      let bridged = underlying as NSError
      text += " <- \(bridged.domain) \(bridged.code)"
    }
    return text
  }
}

extension NetworkError: LocalizedError {
  /// What a person may read.
  public var errorDescription: String? { message }
  /// What is wrong in a developer's words.
  public var failureReason: String? { reason.isEmpty ? nil : reason }
}

extension NetworkError: CustomNSError {
  /// The domain of the bridged `NSError`; the part of the way is in its user info.
  public static var errorDomain: String { "HeliographErrorDomain" }
  /// The code of the bridged `NSError`.
  public var errorCode: Int { code.rawValue }
  /// The user info of the bridged `NSError`.
  ///
  /// It holds the message, the reason, the domain under ``domainKey``, the address, the status under ``statusCodeKey``
  /// and the underlying error.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [
      NSLocalizedDescriptionKey: message, NetworkError.domainKey: domain.rawValue,
    ]
    if !reason.isEmpty { info[NSLocalizedFailureReasonErrorKey] = reason }
    if let url = request?.url { info[NSURLErrorFailingURLErrorKey] = url }
    if let statusCode { info[NetworkError.statusCodeKey] = statusCode }
    if let underlying { info[NSUnderlyingErrorKey] = underlying as NSError }
    return info
  }

  /// Where the bridged error's user info keeps the domain's name.
  public static let domainKey = "HeliographDomain"
  /// Where the bridged error's user info keeps the HTTP status code.
  public static let statusCodeKey = "HeliographStatusCode"
}
