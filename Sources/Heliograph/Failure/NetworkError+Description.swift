public import Foundation

extension NetworkError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// One line for a log: domain, code, reason, request and status; no header, query or body.
  ///
  /// Line breaks and control characters are written as escapes.
  public var description: String {
    var text = "\(domain) error \(code)"
    if !loggedReason.isEmpty { text += ": \(loggedReason)" }
    if let request { text += " (\(request))" }
    if let statusCode, domain != .server { text += ", HTTP status \(statusCode)" }
    if let underlying {
      // Domain and code alone: what else it says may hold the whole address or a part of the body.
      let bridged = underlying as NSError
      text += " <- \(bridged.domain.singleLine) \(bridged.code)"
    }
    return text
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Nothing beyond ``description``.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension NetworkError: LocalizedError {
  /// What a person may read.
  public var errorDescription: String? { message }
  /// The text that the server's answer states, or else what is wrong in a developer's words.
  public var failureReason: String? { serverMessage ?? (loggedReason.isEmpty ? nil : loggedReason) }
}
