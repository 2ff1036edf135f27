public import Foundation
public import Heliograph

/// A complete HTTP/1.1 request as received, with its body decoded from the transfer coding.
public struct LoopbackRequest: Sendable {
  /// The `id` of the connection on which the request arrived.
  public let connection: Int

  /// The index among all requests to this server, starting at 0.
  public internal(set) var index: Int

  /// The method, as sent, such as `GET`.
  public let method: HTTPMethod

  /// The request target, as sent, such as `/a%20b?q=1` (RFC 9112 §3.2).
  public let target: String

  /// The percent-decoded path without the query, such as `/a b`.
  public let path: String

  /// The percent-decoded query items in order; `+` stays `+`, and an item without `=` has an empty value.
  public let query: [URLQueryItem]

  /// The header fields in the order and spelling in which they were sent; a name may occur more than once.
  public let headers: HTTPHeaders

  /// The body; empty if the request had none.
  public let body: Data

  /// The time at which the last byte was read.
  public let receivedAt: ContinuousClock.Instant

  /// Returns the value of a header field.
  ///
  /// - Parameter name: The name; case is ignored.
  /// - Returns: The value, or `nil` if there is no such field. The values of several fields with this name are joined
  ///   by `", "` (RFC 9110 §5.3).
  public func header(_ name: String) -> String? {
    headers[name]
  }

  /// Returns the decoded value of the first query item with a decoded name, whose case is significant; `nil` if there
  /// is no such item.
  public func queryValue(_ name: String) -> String? {
    query.first { $0.name == name }?.value
  }

  /// The body decoded as UTF-8; invalid bytes become U+FFFD.
  public var bodyText: String { String(decoding: body, as: UTF8.self) }
}

extension LoopbackRequest {
  init(_ head: RequestHead, body: Data, connection: Int) {
    let target = RouteTarget(head.target)
    self.connection = connection
    self.index = 0
    self.method = HTTPMethod(rawValue: head.method)
    self.target = head.target
    self.path = target.path[...].utf8.percentDecoded
    self.query = target.query.map { URLQueryItem(name: $0.name, value: $0.value) }
    self.headers = head.headers
    self.body = body
    self.receivedAt = .now
  }
}
