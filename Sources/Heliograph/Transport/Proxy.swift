public import Foundation

/// The way to a server.
public enum Proxy: Sendable, Hashable {
  /// What `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` in the environment say.
  ///
  /// `no_proxy` is read when the transport is made, and has the form of the exceptions below, with commas in between.
  case environment
  /// None: straight to the server.
  case direct
  /// A proxy at an address of the scheme `http`, `https`, `socks5` or `socks5h`, also for TLS (RFC 9110 §9.3.6).
  ///
  /// `except` holds what is reached without it: hosts, each with those below its domain; IP addresses; networks, such as
  /// `10.0.0.0/8`; or `*`. A host or an address may be followed by a port, and then counts for that one only: `example.com:8080`,
  /// `[::1]:8080`.
  case server(URL, user: String? = nil, password: String? = nil, except: [String] = [])
}
