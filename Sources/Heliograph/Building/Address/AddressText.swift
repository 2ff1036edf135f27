import Foundation

/// A URL split into text components, each in the characters allowed on the wire (RFC 3986 §3, RFC 9110 §4.2).
///
/// The fragment is dropped: it is not sent (RFC 9110 §4.2.5).
struct AddressText {
  /// The scheme `http` or `https` as written; `nil` in a relative reference.
  let scheme: String?
  /// The host and an optional port after a colon; empty in a relative reference.
  let authority: String
  /// The percent-encoded path; it begins with a slash in an absolute URL, unless it is empty.
  let path: String
  /// The percent-encoded query without the question mark.
  let query: String?

  /// Parses a text; characters that need an escape are percent-encoded as UTF-8, and existing escapes are unchanged.
  init(_ text: String) throws(NetworkError) {
    let bytes = Array(text.utf8)
    func refusal(_ reason: String) -> NetworkError {
      NetworkError(.invalidURL, reason: "\(AddressText.redacted(text)) \(reason)")
    }
    // A transport could end the request line at such a byte and begin another request.
    guard !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
      throw refusal("contains whitespace or a control character")
    }
    guard bytes.hasValidEscapes else { throw refusal("has a percent sign without two hexadecimal digits") }
    var rest = bytes.prefix { $0 != UInt8(ascii: "#") }
    var query: ArraySlice<UInt8>?
    if let questionMark = rest.firstIndex(of: UInt8(ascii: "?")) {
      query = rest[(questionMark + 1)...]
      rest = rest[..<questionMark]
    }
    if let colon = rest.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }),
      rest[colon] == UInt8(ascii: ":")
    {
      let scheme = String(decoding: rest[..<colon], as: UTF8.self)
      guard scheme.isEqualIgnoringCase(to: "http") || scheme.isEqualIgnoringCase(to: "https") else {
        throw refusal("has a scheme other than http and https; begin a path that contains a colon with a slash")
      }
      self.scheme = scheme
      rest = rest[(colon + 1)...]
      guard rest.starts(with: "//".utf8) else { throw refusal("has no host") }
      rest = rest.dropFirst(2)
      let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      do throws(InvalidComponent) {
        authority = try Authority(rest[..<end]).text
      } catch {
        throw refusal(error.reason)
      }
      rest = rest[end...]
    } else {
      guard !rest.starts(with: "//".utf8) else { throw refusal("has a host without a scheme") }
      scheme = nil
      authority = ""
    }
    path = AddressText.escaped(rest, "/")
    self.query = query.map { AddressText.escaped($0, "/?") }
  }

  struct InvalidComponent: Error {
    let reason: String
  }

  /// Returns the URL for an error, without a password and without query values.
  static func redacted(_ text: String) -> String {
    // By bytes: in a string, a slash followed by a combining accent is not a slash.
    let bytes = Array(text.utf8)
    if bytes.contains(UInt8(ascii: "@")), let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
      return (String(decoding: bytes[...colon], as: UTF8.self) + "…").debugDescription
    }
    let end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.endIndex
    return String(decoding: bytes[..<end], as: UTF8.self).debugDescription
  }

  /// Returns the bytes; those that are neither a `pchar` (RFC 3986 §3.3) nor in `others` are escaped.
  private static func escaped(_ bytes: ArraySlice<UInt8>, _ others: StaticString) -> String {
    func isPlain(_ byte: UInt8) -> Bool {
      byte.isPlainInPath || others.withUTF8Buffer { $0.contains(byte) }
    }
    if bytes.allSatisfy(isPlain) { return String(decoding: bytes, as: UTF8.self) }
    var result: [UInt8] = []
    for byte in bytes {
      if isPlain(byte) { result.append(byte) } else { result.appendPercentEscape(of: byte) }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

extension UInt8 {
  /// Whether the byte is a `pchar` or begins an escape.
  fileprivate var isPlainInPath: Bool { isUnreserved || "!$%&'()*+,:;=@".utf8.contains(self) }
}
