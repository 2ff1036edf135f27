public import Foundation
public import Heliograph

/// A complete HTTP/1.1 request as received, with its body decoded from the transfer coding.
public struct LoopbackRequest: Sendable {
  /// The `id` of the connection on which the request arrived.
  public let connection: Int

  /// The index among all requests to this server, starting at 0.
  public internal(set) var index: Int

  /// The method, as sent, such as `GET`.
  public let method: String

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

  /// Returns the value of the first query item with a given name.
  ///
  /// - Parameter name: The decoded name; case is significant.
  /// - Returns: The decoded value, or `nil` if there is no such item.
  public func queryValue(_ name: String) -> String? {
    query.first { $0.name == name }?.value
  }

  /// The body decoded as UTF-8; invalid bytes become U+FFFD.
  public var bodyText: String { String(decoding: body, as: UTF8.self) }
}

extension LoopbackRequest {
  init(_ head: RequestHead, body: Data, connection: Int) {
    let (path, query) = Self.split(target: head.target)
    self.connection = connection
    self.index = 0
    self.method = head.method
    self.target = head.target
    self.path = path
    self.query = query
    self.headers = HTTPHeaders(head.fields)
    self.body = body
    self.receivedAt = .now
  }

  private static func split(target: String) -> (path: String, query: [URLQueryItem]) {
    var remaining = Substring(target)
    // The absolute form, as sent to a proxy: http://host/path (RFC 9112 §3.2.2).
    if !remaining.hasPrefix("/"), let scheme = remaining.firstRange(of: "://") {
      remaining = remaining[scheme.upperBound...]
      remaining = remaining.firstIndex { $0 == "/" || $0 == "?" }.map { remaining[$0...] } ?? "/"
      if remaining.hasPrefix("?") { remaining = "/" + remaining }
    }
    guard let queryMark = remaining.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (decode(remaining), []) }
    let items = remaining[remaining.utf8.index(after: queryMark)...].split(separator: "&").map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return URLQueryItem(name: decode(parts[0]), value: parts.count > 1 ? decode(parts[1]) : "")
    }
    return (decode(remaining[..<queryMark]), items)
  }

  /// Percent-decodes text; a malformed escape is unchanged, and invalid UTF-8 becomes U+FFFD.
  private static func decode(_ text: Substring) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    let source = Array(text.utf8)
    var decoded: [UInt8] = []
    decoded.reserveCapacity(source.count)
    var position = 0
    while position < source.count {
      if source[position] == UInt8(ascii: "%"), position + 2 < source.count,
        let high = source[position + 1].hexadecimalValue, let low = source[position + 2].hexadecimalValue
      {
        decoded.append(UInt8(high << 4 | low))
        position += 3
      } else {
        decoded.append(source[position])
        position += 1
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit, or `nil` for any other byte.
  var hexadecimalValue: Int? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(self - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(self - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(self - UInt8(ascii: "A")) + 10
    default: nil
    }
  }

  /// The lowercase letter of an ASCII uppercase letter; any other byte is unchanged.
  var lowercasedASCII: UInt8 { 0x41...0x5A ~= self ? self | 0x20 : self }
}

extension StringProtocol {
  /// Returns whether two strings are equal up to ASCII case, as header names are compared (RFC 9110 §5.1).
  func equalsIgnoringASCIICase(_ other: some StringProtocol) -> Bool {
    utf8.elementsEqual(other.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
  }
}
