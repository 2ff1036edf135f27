#if HELIOGRAPH_CURL
import Foundation

/// The hosts that are reached without the proxy; libcurl's own list supports no ports and, before 7.86, no networks.
struct ProxyExceptions: Equatable {
  fileprivate enum Hosts: Equatable {
    case all
    /// A host and its subdomains.
    case domain(String)
    /// The addresses with these leading bits.
    case network([UInt8], bitCount: Int)
  }

  fileprivate struct Entry: Equatable {
    let hosts: Hosts
    let port: Int?
  }

  private let entries: [Entry]

  /// Parses entries, each of which may hold several separated by commas or whitespace.
  ///
  /// - Parameter texts: `example.com` or `.example.com`, `192.0.2.1`, `::1` or `[::1]`, `192.0.2.0/24`, `*`. All except
  ///   networks and the star may be followed by a port, as in `[::1]:8080`. Any other entry matches no host.
  init(_ texts: [String]) {
    entries = texts.flatMap { $0.split { $0 == "," || $0.isWhitespace } }.compactMap { Entry(String($0).loweredASCII) }
  }

  /// Parses the exceptions of the environment: `no_proxy`, or else `NO_PROXY`.
  init(environment: [String: String]) {
    let text = ["no_proxy", "NO_PROXY"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    self.init(text.map { [$0] } ?? [])
  }

  var isEmpty: Bool { entries.isEmpty }

  /// Returns whether the server of a URL is reached without the proxy.
  func contains(_ url: URL) -> Bool {
    guard !entries.isEmpty, let origin = Origin(url) else { return false }
    let host = origin.host.hasSuffix(".") ? String(origin.host.dropLast()) : origin.host
    // The zone of an IPv6 address (RFC 6874) is a matter of this machine.
    let address = (host.contains(":") ? String(host.prefix { $0 != "%" }) : host).addressBytes
    return entries.contains { entry in
      guard entry.port == nil || entry.port == origin.port else { return false }
      switch entry.hosts {
      case .all: return true
      case .domain(let name): return address == nil && (host == name || host.hasSuffix("." + name))
      case .network(let bytes, let bitCount): return address?.begins(with: bytes, bitCount: bitCount) == true
      }
    }
  }
}

extension ProxyExceptions.Entry {
  fileprivate init?(_ text: String) {
    if text == "*" {
      self.init(hosts: .all, port: nil)
    } else if let slash = text.firstIndex(of: "/") {
      guard let bytes = String(text[..<slash]).addressBytes, let bitCount = Int(text[text.index(after: slash)...]),
        (0...bytes.count * 8).contains(bitCount)
      else { return nil }
      self.init(hosts: .network(bytes, bitCount: bitCount), port: nil)
    } else if let bytes = text.addressBytes {
      // An IPv6 address without brackets: none of its colons precedes a port.
      self.init(hosts: .network(bytes, bitCount: bytes.count * 8), port: nil)
    } else {
      var name = text[...]
      var port: Int?
      if let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") {
        guard let number = Int(text[text.index(after: colon)...]), (1...65_535).contains(number) else { return nil }
        port = number
        name = text[..<colon]
      }
      if let bytes = String(name).addressBytes {
        self.init(hosts: .network(bytes, bitCount: bytes.count * 8), port: port)
        return
      }
      if name.hasPrefix(".") { name = name.dropFirst() }
      if name.hasSuffix(".") { name = name.dropLast() }
      if name.isEmpty { return nil }
      self.init(hosts: .domain(String(name)), port: port)
    }
  }
}

extension String {
  /// The bytes of an IPv4 address, or of an IPv6 address with or without brackets; `nil` for any other string.
  var addressBytes: [UInt8]? {
    let address = hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    var short = in_addr()
    if address == self, inet_pton(AF_INET, address, &short) == 1 { return withUnsafeBytes(of: &short) { Array($0) } }
    var long = in6_addr()
    return inet_pton(AF_INET6, address, &long) == 1 ? withUnsafeBytes(of: &long) { Array($0) } : nil
  }
}

extension [UInt8] {
  fileprivate func begins(with bytes: [UInt8], bitCount: Int) -> Bool {
    guard count == bytes.count else { return false }
    let (whole, rest) = bitCount.quotientAndRemainder(dividingBy: 8)
    guard prefix(whole).elementsEqual(bytes.prefix(whole)) else { return false }
    return rest == 0 || (self[whole] ^ bytes[whole]) >> (8 - UInt8(rest)) == 0
  }
}
#endif
