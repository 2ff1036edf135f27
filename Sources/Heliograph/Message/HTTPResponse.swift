public import Foundation

/// The head of a response: what a server says before the body.
public struct HTTPResponse: Sendable, Hashable {
  /// The status code, such as 200.
  ///
  /// RFC 9110 §15.
  public var statusCode: Int
  /// The header fields.
  public var headers: HTTPHeaders
  /// The address that answered: after redirects, the last one.
  public var url: URL

  /// Makes a head.
  public init(statusCode: Int, headers: HTTPHeaders = [:], url: URL) {
    self.statusCode = statusCode
    self.headers = headers
    self.url = url
  }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Status and address on one line, without user, password and query, which may be secret.
  public var description: String { "\(statusCode) \(url.redacted)" }
  /// The same as ``description``.
  public var debugDescription: String { description }
  /// Status, header fields without secrets, and the redacted address.
  public var customMirror: Mirror {
    Mirror(self, children: ["statusCode": statusCode, "headers": headers, "url": url.redacted], displayStyle: .struct)
  }
}
