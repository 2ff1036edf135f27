import Foundation

/// A URL split into text components, each in the characters allowed on the wire (RFC 3986 §3, RFC 9110 §4.2); the
/// fragment is dropped: it is not sent (RFC 9110 §4.2.5).
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
    func refusal(_ reason: String) -> NetworkError { AddressText.refusal(reason, of: text) }
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
      authority = try AddressText.authority(rest[..<end], of: text)
      rest = rest[end...]
    } else {
      guard !rest.starts(with: "//".utf8) else { throw refusal("has a host without a scheme") }
      scheme = nil
      authority = ""
    }
    path = AddressText.escaped(rest, "/")
    self.query = query.map { AddressText.escaped($0, "/?") }
  }

  private static func refusal(_ reason: String, of text: String) -> NetworkError {
    NetworkError(.invalidURL, reason: "\(text.redactedAddress.debugDescription) \(reason)")
  }

  /// Returns the bytes; those that are neither a `pchar` (RFC 3986 §3.3) nor a percent sign nor in `others` are escaped.
  private static func escaped(_ bytes: ArraySlice<UInt8>, _ others: StaticString) -> String {
    func isPlain(_ byte: UInt8) -> Bool {
      byte.isUnreserved || "!$%&'()*+,:;=@".utf8.contains(byte) || others.withUTF8Buffer { $0.contains(byte) }
    }
    if bytes.allSatisfy(isPlain) { return String(decoding: bytes, as: UTF8.self) }
    var result: [UInt8] = []
    for byte in bytes {
      if isPlain(byte) { result.append(byte) } else { result.appendPercentEscape(of: byte) }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

extension AddressText {
  /// Returns a host and an optional port that all URL parsers interpret alike; it accepts less than RFC 3986 §3.2: no
  /// user, no escapes, and no characters that host names never contain.
  private static func authority(_ bytes: ArraySlice<UInt8>, of text: String) throws(NetworkError) -> String {
    // RFC 9110 §4.2.4 forbids creating such a URL; the text before the `@` could be mistaken for the host.
    guard !bytes.contains(UInt8(ascii: "@")) else {
      throw refusal("has user information: use an Authorization header instead", of: text)
    }
    let hostEnd: Int
    if bytes.first == UInt8(ascii: "[") {
      guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")),
        IPv6Address.canonical(bytes[(bytes.startIndex + 1)..<bracket]) != nil
      else { throw refusal("has brackets without an IPv6 address", of: text) }
      hostEnd = bracket + 1
    } else {
      hostEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
      try check(name: bytes[..<hostEnd], of: text)
    }
    let port = try port(in: bytes[hostEnd...], of: text)
    // A colon without a port is removed (RFC 3986 §6.2.3).
    return String(decoding: port.isEmpty ? bytes[..<hostEnd] : bytes, as: UTF8.self)
  }

  private static func check(name: ArraySlice<UInt8>, of text: String) throws(NetworkError) {
    guard !name.isEmpty else { throw refusal("has no host", of: text) }
    guard name.allSatisfy({ $0 < 0x80 }) else {
      throw refusal("has a non-ASCII host: pass a URL, or its Punycode form (xn--…)", of: text)
    }
    guard name.allSatisfy({ $0.isUnreserved && $0 != UInt8(ascii: "~") }) else {
      throw refusal("has an invalid character in its host", of: text)
    }
  }

  private static func port(in rest: ArraySlice<UInt8>, of text: String) throws(NetworkError) -> ArraySlice<UInt8> {
    let port = rest.dropFirst()
    guard rest.isEmpty || rest.first == UInt8(ascii: ":"), port.allSatisfy(\.isDigit), port.count <= 5 else {
      throw refusal("has a non-numeric port", of: text)
    }
    let number = port.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    guard port.isEmpty || (1...65_535).contains(number) else {
      throw refusal("has a port outside 1 to 65535", of: text)
    }
    return port
  }
}

extension String {
  /// The URL with invalid characters of path and query escaped and with existing escapes unchanged; `URLComponents`
  /// would also escape existing percent signs and change the meaning: `%20é` to `%2520%C3%A9`.
  fileprivate var escapedAfterHost: String {
    if utf8.allSatisfy(\.isAllowedAfterHost), utf8.hasValidEscapes { return self }
    let bytes = Array(utf8)
    let start = bytes.hostEnd
    var escaped = Array(bytes[..<start])
    for (index, byte) in bytes.enumerated().dropFirst(start) {
      if byte.isAllowedAfterHost, byte != UInt8(ascii: "%") || bytes[(index + 1)...].beginsWithEscapedByte {
        escaped.append(byte)
      } else {
        escaped.appendPercentEscape(of: byte)
      }
    }
    return String(decoding: escaped, as: UTF8.self)
  }
}

extension URL {
  /// Returns the absolute URL of a reference that a server has sent, without dot segments (RFC 3986 §5.2.2); `nil` if it
  /// is malformed.
  func resolving(_ reference: String) -> URL? {
    // Servers mix unescaped letters with percent-escapes, which `URL` would escape once more.
    guard let url = URL(string: reference.escapedAfterHost, relativeTo: self)?.absoluteURL else { return nil }
    // `absoluteURL` removes those of a relative path only.
    return url.host() != nil && url.absoluteString.contains("/.") ? url.standardized : url
  }
}

extension [UInt8] {
  /// The end of host and port; 0 if there is no host.
  fileprivate var hostEnd: Int {
    let delimiters = Array("/?#".utf8)
    guard let slashes = firstIndex(where: delimiters.contains), self[slashes...].starts(with: "//".utf8),
      slashes == 0 || self[slashes - 1] == UInt8(ascii: ":")
    else { return 0 }
    return self[(slashes + 2)...].firstIndex(where: delimiters.contains) ?? count
  }
}

extension UInt8 {
  /// Whether the byte may occur in a path (RFC 3986 §3.3) or query (§3.4), or begins a query, a fragment or an escape.
  fileprivate var isAllowedAfterHost: Bool {
    switch self {
    // Every byte between the bounds of these ranges is allowed.
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "?")...UInt8(ascii: "Z"),
      UInt8(ascii: "#")...UInt8(ascii: ";"), UInt8(ascii: "!"), UInt8(ascii: "="), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
