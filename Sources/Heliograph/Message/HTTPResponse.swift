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
  /// Whether the transport itself added credentials to the request.
  @Uncompared var isAuthenticated = false
  /// Whether the requests of its redirect chain are all idempotent.
  @Uncompared var isRepeatable = true
  /// Whether it follows a redirect that shows that a request that is not idempotent, such as a `POST`, was processed: a
  /// 303, or one that changed the method.
  @Uncompared var isAfterEffect = false
  /// Whether a redirect has removed credentials, so that the server has not seen them.
  @Uncompared var hasLostCredentials = false
  /// Whether the transport delivers the body with its content codings, as it was sent.
  @Uncompared var keepsContentCodings = false

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

/// An event of an exchange, as a transport reports it.
///
/// New cases may be added, so a `switch` should have a `default`.
public enum TransportEvent: Sendable, Hashable {
  /// The number of bytes of the request body handed to the system so far.
  ///
  /// A body short enough to be sent at once may go unreported. When the body is resent, the count restarts.
  case sent(byteCount: Int)
  /// The number of bytes of the response body that the system has received so far, and the total if it is known.
  ///
  /// Sent before the head, only for successful responses, and only by a transport that delivers the body when it is
  /// complete. The pieces of the body that follow are not counted again. When the system resends the request, the count
  /// restarts.
  case received(byteCount: Int, totalByteCount: Int?)
  /// The source of the response, if it is not the network; sent before the head.
  case source(ResponseSource)
  /// The head of the response.
  case head(HTTPResponse)
  /// The next piece of the body.
  case body(Data)
  /// The metrics of the exchange, sent when the whole response has arrived.
  indirect case metrics(Metrics)
}
