public import Foundation

/// The proxy that a transport uses.
public enum Proxy: Sendable, Hashable {
  /// The proxy named by the environment variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
  ///
  /// `no_proxy` is read when the transport is created. Its entries have the form of the exceptions below, separated by
  /// commas. Without an entry for it, the local machine is reached through the proxy, too: plain HTTP then leaves it.
  case environment
  /// No proxy: a direct connection to the server.
  case direct
  /// A proxy whose URL has the scheme `http`, `https`, `socks5` or `socks5h`; TLS is tunnelled (RFC 9110 §9.3.6).
  ///
  /// `except` lists the servers that are reached without the proxy: a host, which includes its subdomains; an IP
  /// address; a network, such as `10.0.0.0/8`; or `*` for all. A host or an address may be followed by a port, and then
  /// applies to that port only: `example.com:8080`, `[::1]:8080`.
  case server(URL, user: String? = nil, password: String? = nil, except: [String] = [])
}

extension Proxy: _Summarized {
  /// The kind of proxy, with the redacted URL of a server, but without user and password.
  public var description: String {
    switch self {
    case .environment: "environment"
    case .direct: "direct"
    case .server(let url, _, _, _): "server \(url.redacted)"
    }
  }
}

extension Proxy {
  /// The proxies that an environment names.
  private static func named(in environment: [String: String]) -> [String] {
    ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].compactMap { environment[$0] }
      .filter { !$0.isEmpty }
  }

  /// Whether requests may be sent through a proxy.
  func isSet(in environment: [String: String]) -> Bool {
    switch self {
    case .direct: false
    case .server: true
    case .environment: !Proxy.named(in: environment).isEmpty
    }
  }

  /// Whether the proxy is on this machine, so that it decides whether requests can reach a server.
  func isLocal(in environment: [String: String] = ProcessInfo.processInfo.environment) -> Bool {
    switch self {
    case .direct: false
    case .server(let url, _, _, _): url.isLocal
    case .environment:
      // The scheme is optional here.
      Proxy.named(in: environment).contains { URL(string: $0.contains("://") ? $0 : "http://" + $0)?.isLocal == true }
    }
  }
}
