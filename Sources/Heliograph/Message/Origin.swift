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

  /// Returns whether a URL has this origin.
  ///
  /// Faster than comparing origins, because nothing is copied.
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
  /// Whether the host is this machine, by name or IP address, so that no network is needed.
  ///
  /// Names below `localhost`, such as `shop.localhost`, do not count: some systems resolve them over the network.
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
