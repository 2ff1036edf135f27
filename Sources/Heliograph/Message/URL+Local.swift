package import Foundation

extension URL {
  /// Whether its host is this very machine, by its name or number: no network is needed to get there.
  ///
  /// Names below `localhost`, such as `shop.localhost`, are not: some systems ask a name server for them.
  package var isLocal: Bool {
    guard let host = host?.lowercased() else { return false }
    if host == "localhost" || host == "::1" || host == "[::1]" { return true }
    var address = in_addr()
    guard host.hasPrefix("127."), inet_pton(AF_INET, host, &address) == 1 else { return false }
    return true
  }

  /// Whether nobody on the way can read or change what is sent there.
  package var isSecureOrLocal: Bool {
    let text = absoluteString
    // What nearly all addresses begin with; taking one apart costs more than ten of these.
    if text.hasPrefix("https://") { return true }
    // What stands before an `@` is a user, and not the host.
    if text.hasPrefix("http://127.0.0.1:") || text.hasPrefix("http://localhost:") {
      let mayNameUser = text.utf8.withContiguousStorageIfAvailable { $0.contains(UInt8(ascii: "@")) } ?? true
      if !mayNameUser { return true }
    }
    return scheme?.lowercased() == "https" || isLocal
  }
}
