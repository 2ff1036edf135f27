public import Foundation

/// The origin of an HTTP URL: its scheme, host and port.
///
/// Credentials and secrets belong to one origin.
///
/// ```swift
/// let origin = Origin(host: "api.example.com")
/// print(Origin("HTTPS://API.example.com:443/v1") == origin)  // true
/// ```
/// Two origins are equal if their scheme, host and port are equal. Scheme and host are compared without regard to case.
/// A URL without a port has the default port of its scheme. IP addresses are compared in canonical form: `127.1` is
/// `127.0.0.1`. RFC 6454 §4.
public struct Origin: Sendable, Hashable {
  /// The scheme in lower case: `http` or `https` in the origin of a URL.
  public let scheme: String
  /// The host in lower case; an IPv4 address as four decimal numbers, an IPv6 address in the form of RFC 5952, without
  /// brackets.
  public let host: String
  /// The port, or the default port of the scheme if the URL has none.
  public let port: Int

  /// Creates an origin from its components, which are not validated.
  ///
  /// An invalid origin does not equal the origin of any URL.
  ///
  /// - Parameters:
  ///   - scheme: The scheme, in any case. Default: `https`.
  ///   - host: The host, in any case; an IPv6 address with or without brackets.
  ///   - port: The port. Default: 80 for `http`, otherwise 443.
  public init(scheme: String = "https", host: String, port: Int? = nil) {
    self.scheme = scheme.loweredASCII
    let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    self.host = IPv6Address.canonical(bare.utf8) ?? IPv4Address.canonical(bare.utf8) ?? bare.loweredASCII
    self.port = port ?? (self.scheme == "http" ? 80 : 443)
  }

  /// Creates the origin of a URL; `nil` if the URL is relative, contains user information, or is not valid for a
  /// request.
  ///
  /// - Parameter url: An absolute URL.
  public init?(_ url: URL) { self.init(url.absoluteString) }

  /// Creates the origin of a URL in text form.
  ///
  /// `nil` unless the scheme is `http` or `https`, the host is an IPv6 literal or consists of ASCII letters, digits,
  /// `-`, `.` and `_`, and the port, if there is one, is between 1 and 65535. It is also `nil` for a URL that contains
  /// user information.
  /// - Parameter address: An absolute URL.
  public init?(_ address: String) {
    var address = address
    let parts = address.withUTF8 { bytes -> (scheme: String, host: String?, port: Int)? in
      guard let parsed = ParsedOrigin(bytes) else { return nil }
      let host = bytes[parsed.host]
      return (
        parsed.isSecure ? "https" : "http",
        parsed.isLiteral
          ? IPv6Address.canonical(host)
          : IPv4Address.canonical(host) ?? String(decoding: host, as: UTF8.self).loweredASCII, parsed.port
      )
    }
    guard let parts, let host = parts.host else { return nil }
    (scheme, self.host, port) = (parts.scheme, host, parts.port)
  }

  /// Returns whether a URL has this origin; faster than comparing origins, because nothing is copied.
  package func matches(_ url: URL) -> Bool {
    var (address, own) = (url.absoluteString, host)
    return address.withUTF8 { bytes in
      guard let parsed = ParsedOrigin(bytes), parsed.port == port, parsed.isSecure == (scheme == "https") else {
        return false
      }
      let host = bytes[parsed.host]
      if parsed.isLiteral { return IPv6Address.canonical(host) == own }
      if let address = IPv4Address.canonical(host) { return address == own }
      // By index, because every response is compared, and `zip` costs seventy instructions for each letter.
      return own.withUTF8 { own in
        own.count == host.count && own.indices.allSatisfy { own[$0] == host[host.startIndex + $0].loweredASCII }
      }
    }
  }

  package static func exists(of url: URL) -> Bool {
    var address = url.absoluteString
    return address.withUTF8 { bytes in
      guard let parsed = ParsedOrigin(bytes) else { return false }
      return !parsed.isLiteral || IPv6Address.canonical(bytes[parsed.host]) != nil
    }
  }
}

extension Origin: CustomStringConvertible {
  /// The origin as in a URL, without the default port of the scheme: `https://api.example.com`.
  public var description: String {
    let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    return port == (scheme == "http" ? 80 : 443) ? "\(scheme)://\(name)" : "\(scheme)://\(name):\(port)"
  }
}

extension URL {
  /// Whether the host is this machine, by name or IP address, so that no network is needed; names below `localhost`,
  /// such as `shop.localhost`, do not count: some systems resolve them over the network.
  package var isLocal: Bool {
    guard let host = host?.lowercased() else { return false }
    if host == "localhost" || host == "::1" || host == "[::1]" { return true }
    var address = in_addr()
    guard host.hasPrefix("127."), inet_pton(AF_INET, host, &address) == 1 else { return false }
    return true
  }

  /// Whether the traffic cannot be read or changed on its path: the scheme is https, or the host is this machine.
  package var isSecureOrLocal: Bool {
    let text = absoluteString
    // Fast path for most URLs: parsing a URL costs more than ten of these checks.
    if text.hasPrefix("https://") { return true }
    // The text before an `@` is user information, not the host.
    if text.hasPrefix("http://127.0.0.1:") || text.hasPrefix("http://localhost:") {
      let mayNameUser = text.utf8.withContiguousStorageIfAvailable { $0.contains(UInt8(ascii: "@")) } ?? true
      if !mayNameUser { return true }
    }
    return scheme?.lowercased() == "https" || isLocal
  }
}

/// The components of an origin, parsed from the bytes of a URL.
struct ParsedOrigin {
  let isSecure: Bool
  /// The host; for an IPv6 literal the text between the brackets, which is not checked.
  let host: Range<Int>
  let isLiteral: Bool
  let port: Int

  /// Parses a URL; `nil` if it is not valid for a request.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start = ParsedOrigin.schemeEnd(bytes) else { return nil }
    isSecure = start == 8
    var end = start
    if start < bytes.count, bytes[start] == UInt8(ascii: "[") {
      guard let bracket = bytes[start...].firstIndex(of: UInt8(ascii: "]")) else { return nil }
      isLiteral = true
      host = (start + 1)..<bracket
      end = bracket + 1
    } else {
      isLiteral = false
      while end < bytes.count, bytes[end].isUnreserved, bytes[end] != UInt8(ascii: "~") { end += 1 }
      host = start..<end
    }
    guard !host.isEmpty, let port = ParsedOrigin.port(bytes[end...], isSecure ? 443 : 80) else { return nil }
    self.port = port
  }

  /// Returns the index after `http://` or `https://`.
  private static func schemeEnd(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    let isSecure = bytes.count > 4 && bytes[4] | 0x20 == UInt8(ascii: "s")
    let start = isSecure ? 8 : 7
    guard bytes.count > start, bytes[0] | 0x20 == UInt8(ascii: "h"), bytes[1] | 0x20 == UInt8(ascii: "t"),
      bytes[2] | 0x20 == UInt8(ascii: "t"), bytes[3] | 0x20 == UInt8(ascii: "p"),
      bytes[start - 3] == UInt8(ascii: ":"), bytes[start - 2] == UInt8(ascii: "/"),
      bytes[start - 1] == UInt8(ascii: "/")
    else { return nil }
    return start
  }

  /// Returns the port at the beginning of the text after a host; `nil` if something else follows the host.
  private static func port(_ rest: Slice<UnsafeBufferPointer<UInt8>>, _ defaultPort: Int) -> Int? {
    func isEnd(_ byte: UInt8?) -> Bool {
      switch byte {
      case nil, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): true
      default: false
      }
    }
    guard rest.first == UInt8(ascii: ":") else { return isEnd(rest.first) ? defaultPort : nil }
    var number = 0
    var index = rest.startIndex + 1
    while index < rest.endIndex, rest[index].isDigit {
      number = number * 10 + Int(rest[index] - UInt8(ascii: "0"))
      if number > 65_535 { return nil }
      index += 1
    }
    guard isEnd(index < rest.endIndex ? rest[index] : nil) else { return nil }
    // A colon without a port means the default port (RFC 3986 §6.2.3).
    if index == rest.startIndex + 1 { return defaultPort }
    return number > 0 ? number : nil
  }
}

enum IPv6Address {
  /// Returns the address in the form of RFC 5952, with its zone (RFC 6874) unchanged; `nil` if it is invalid.
  static func canonical(_ bytes: some Collection<UInt8>) -> String? {
    let address = bytes.prefix { $0 != UInt8(ascii: "%") }
    let zone = bytes.dropFirst(address.count)
    if !zone.isEmpty {
      guard zone.starts(with: "%25".utf8), zone.count > 3, zone.dropFirst(3).allSatisfy(\.isUnreserved) else {
        return nil
      }
    }
    var parsed = in6_addr()
    guard inet_pton(AF_INET6, String(decoding: address, as: UTF8.self), &parsed) == 1 else { return nil }
    var text = [CChar](repeating: 0, count: 64)
    guard inet_ntop(AF_INET6, &parsed, &text, socklen_t(text.count)) != nil else { return nil }
    let written = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: written, as: UTF8.self) + String(decoding: zone, as: UTF8.self)
  }
}

enum IPv4Address {
  /// Returns the address as four decimal numbers; `nil` if the host is not an address.
  ///
  /// Accepts every form that libcurl and operating systems accept: `127.1`, `0x7f.0.0.1`, `017700000001`. A trailing
  /// dot is retained.
  static func canonical(_ host: some BidirectionalCollection<UInt8>) -> String? {
    let hasDot = host.last == UInt8(ascii: ".")
    let labels = host.dropLast(hasDot ? 1 : 0)
    // Fast path: the last label of most hosts is a name, so nothing is copied.
    let last = labels.lastIndex(of: UInt8(ascii: ".")).map { labels.index(after: $0) } ?? labels.startIndex
    guard last < labels.endIndex, labels[last].isDigit else { return nil }
    let parts = labels.split(separator: UInt8(ascii: "."), maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count <= 4 else { return nil }
    var address: UInt64 = 0
    for (index, part) in parts.enumerated() {
      let byteCount = index == parts.count - 1 ? 4 - index : 1
      guard let number = number(part), number < 1 << UInt64(8 * byteCount) else { return nil }
      address = address << UInt64(8 * byteCount) | number
    }
    let bytes = [24, 16, 8, 0].map { "\(address >> UInt64($0) & 0xFF)" }
    return bytes.joined(separator: ".") + (hasDot ? "." : "")
  }

  /// Parses a number: octal after `0`, hexadecimal after `0x`, otherwise decimal; `nil` if it is malformed or too
  /// large.
  private static func number(_ text: some Collection<UInt8>) -> UInt64? {
    var (digits, radix) = (text.dropFirst(0), 10)
    if digits.first == UInt8(ascii: "0"), digits.count > 1 {
      digits = digits.dropFirst()
      radix = 8
      if digits.first.map({ $0 | 0x20 }) == UInt8(ascii: "x") { (digits, radix) = (digits.dropFirst(), 16) }
    }
    // A sign is not part of a number.
    guard digits.allSatisfy({ $0.hexDigitValue != nil }) else { return nil }
    return UInt64(String(decoding: digits, as: UTF8.self), radix: radix)
  }
}
