package import Foundation

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
