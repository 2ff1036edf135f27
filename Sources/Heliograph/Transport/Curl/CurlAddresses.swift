#if HELIOGRAPH_CURL
import CCurl
import Foundation

/// What the caller's hook says of hosts, as libcurl wants it.
struct CurlAddresses {
  /// Hosts and ports of which libcurl has the hook's addresses.
  private var known: Set<String> = []

  /// The entries for `CURLOPT_RESOLVE`.
  ///
  /// - Throws: a `client` error if the hook gives something that is not an IP address, and a `network` error if it knows of
  ///   no address.
  mutating func entries(
    for url: URL, _ resolve: (String, Int) -> [String]?
  ) throws(NetworkError) -> [String] {
    // An IP address needs no name service, and a star would stand for every host.
    guard let host = url.host, !host.isIPAddress, host != "*" else { return [] }
    let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
    let name = "\(host):\(port)"
    guard let addresses = resolve(host, port) else { return known.remove(name) == nil ? [] : ["-" + name] }
    if addresses.isEmpty {
      throw NetworkError(.network, .cannotFindHost, reason: "the hook for addresses knows none of \(host)")
    }
    for address in addresses where !address.isIPAddress {
      throw NetworkError(
        .client, .invalidTransport,
        reason: "the hook for addresses gives \(address.debugDescription), not an IP address")
    }
    known.insert(name)
    // A plus lets the entry age like any other, so that a later answer counts.
    return ["+\(name):" + addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")]
  }
}

extension String {
  /// Whether it is an IP address, of version 4 or 6, without brackets.
  fileprivate var isIPAddress: Bool {
    var bytes = in6_addr()
    return inet_pton(AF_INET, self, &bytes) == 1 || inet_pton(AF_INET6, self, &bytes) == 1
  }
}
#endif
