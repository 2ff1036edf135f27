import Foundation

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
      while end < bytes.count, bytes[end].isPlainInHost { end += 1 }
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

extension UInt8 {
  /// Whether the byte may appear in the name of a host.
  fileprivate var isPlainInHost: Bool { isUnreserved && self != UInt8(ascii: "~") }
}
