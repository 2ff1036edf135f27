public import Foundation

/// The head of a response: its status code and header fields, and the URL that responded.
public struct HTTPResponse: Sendable, Hashable {
  /// The status code, such as 200.
  ///
  /// RFC 9110 §15.
  public var statusCode: Int
  /// The header fields.
  public var headers: HTTPHeaders
  /// The URL that responded; after redirects, the last one.
  public var url: URL

  /// Creates the head of a response.
  public init(statusCode: Int, headers: HTTPHeaders = [:], url: URL) {
    self.statusCode = statusCode
    self.headers = headers
    self.url = url
  }
}

extension HTTPResponse: _Summarized {
  /// Status and URL on one line, without user, password and query, which may be secret.
  public var description: String { "\(statusCode) \(url.redacted)" }
  /// Status, header fields without secrets, and the redacted URL.
  public var customMirror: Mirror {
    Mirror(self, children: ["statusCode": statusCode, "headers": headers, "url": url.redacted], displayStyle: .struct)
  }
}
