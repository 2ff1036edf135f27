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
