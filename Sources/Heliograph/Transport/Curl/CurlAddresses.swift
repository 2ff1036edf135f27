#if HELIOGRAPH_CURL
import CCurl
import Foundation

/// The results of the `resolve` closure, in libcurl's format.
struct CurlAddresses {
  /// The hosts and ports for which libcurl has addresses from the closure.
  private var cachedNames: Set<String> = []

  /// Returns the entries for `CURLOPT_RESOLVE`.
  ///
  /// - Throws: A `client` error if the closure returns anything but IP addresses, and a `network` error if it returns
  ///   an empty list.
  mutating func entries(
    for url: URL, _ resolve: (String, Int) -> [String]?
  ) throws(NetworkError) -> [String] {
    // An IP address needs no resolver, and libcurl would take a star for every host.
    guard let host = url.host, !host.isIPAddress, host != "*" else { return [] }
    let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
    let name = "\(host):\(port)"
    guard let addresses = resolve(host, port) else { return cachedNames.remove(name) == nil ? [] : ["-" + name] }
    if addresses.isEmpty {
      throw NetworkError(.cannotFindHost, reason: "`resolve` returned no address for \(host)")
    }
    for address in addresses where !address.isIPAddress {
      throw NetworkError(
        .invalidTransport,
        reason: "`resolve` returned \(address.debugDescription), which is not an IP address")
    }
    // Names removed here stay in libcurl's cache, but expire there.
    if cachedNames.count >= 10_000 { cachedNames.removeAll() }
    cachedNames.insert(name)
    // With a plus sign the entry expires like any other, so that a later result takes effect.
    return ["+\(name):" + addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")]
  }
}

extension String {
  /// Whether the string is an IPv4 or IPv6 address without brackets.
  fileprivate var isIPAddress: Bool {
    var bytes = in6_addr()
    return inet_pton(AF_INET, self, &bytes) == 1 || inet_pton(AF_INET6, self, &bytes) == 1
  }
}
#endif
