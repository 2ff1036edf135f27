import Foundation

extension AddressText {
  /// A host and port that all URL parsers interpret alike.
  ///
  /// It accepts less than RFC 3986 §3.2: no user, no escapes, and no characters that host names never contain.
  struct Authority {
    /// The host, followed by a colon and the port if there is one.
    let text: String

    init(_ bytes: ArraySlice<UInt8>) throws(InvalidComponent) {
      // RFC 9110 §4.2.4 forbids creating such a URL; the text before the `@` could be mistaken for the host.
      guard !bytes.contains(UInt8(ascii: "@")) else {
        throw InvalidComponent(reason: "has user information: use an Authorization header instead")
      }
      let hostEnd: Int
      if bytes.first == UInt8(ascii: "[") {
        guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")),
          IPv6Address.canonical(bytes[(bytes.startIndex + 1)..<bracket]) != nil
        else { throw InvalidComponent(reason: "has brackets without an IPv6 address") }
        hostEnd = bracket + 1
      } else {
        hostEnd = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        try Authority.check(name: bytes[..<hostEnd])
      }
      let port = try Authority.port(bytes[hostEnd...])
      // A colon without a port is removed (RFC 3986 §6.2.3).
      text = String(decoding: port.isEmpty ? bytes[..<hostEnd] : bytes, as: UTF8.self)
    }

    private static func check(name: ArraySlice<UInt8>) throws(InvalidComponent) {
      guard !name.isEmpty else { throw InvalidComponent(reason: "has no host") }
      guard name.allSatisfy({ $0 < 0x80 }) else {
        throw InvalidComponent(reason: "has a non-ASCII host: use its Punycode form (xn--…)")
      }
      guard name.allSatisfy({ $0.isUnreserved && $0 != UInt8(ascii: "~") }) else {
        throw InvalidComponent(reason: "has an invalid character in its host")
      }
    }

    private static func port(_ rest: ArraySlice<UInt8>) throws(InvalidComponent) -> ArraySlice<UInt8> {
      let port = rest.dropFirst()
      guard rest.isEmpty || rest.first == UInt8(ascii: ":"),
        port.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), port.count <= 5
      else { throw InvalidComponent(reason: "has a non-numeric port") }
      let number = port.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
      guard port.isEmpty || (1...65_535).contains(number) else {
        throw InvalidComponent(reason: "has a port outside 1 to 65535")
      }
      return port
    }
  }
}
