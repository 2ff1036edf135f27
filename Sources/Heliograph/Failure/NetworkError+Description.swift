public import Foundation

extension NetworkError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The error on one line, for a log: domain, code, reason, request and status; no header, query or body.
  ///
  /// Line breaks and control characters are escaped.
  public var description: String {
    var text = "\(domain) error \(code)"
    if !loggedReason.isEmpty { text += ": \(loggedReason)" }
    if let request { text += " (\(request))" }
    if let statusCode, domain != .server { text += ", HTTP status \(statusCode)" }
    if let underlying {
      // Only domain and code: its other content may contain the whole URL or a part of the body.
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
  /// The user-facing message.
  public var errorDescription: String? { message }
  /// The message stated by the server, or else the reason for developers.
  public var failureReason: String? { serverMessage ?? (loggedReason.isEmpty ? nil : loggedReason) }
}
