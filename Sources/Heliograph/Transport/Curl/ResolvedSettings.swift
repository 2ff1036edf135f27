#if HELIOGRAPH_CURL
import Foundation

/// The settings of a transport with the values derived from them, computed once for its loop and all of its handles.
struct ResolvedSettings: Sendable {
  let settings: TransportSettings
  let hasProxy: Bool
  let proxyExceptions: ProxyExceptions
  let pins: HostPins
  let identities: HostTable<Trust.Identity>
  let authorities: Authorities
  /// The codings that requests offer: those of the settings that this machine can decode.
  let codings: [ContentCoding]
  // Stored separately, so that a request need not copy all of the settings to read it.
  let speaksHTTP2: Bool
  let resolve: (@Sendable (_ host: String, _ port: Int) -> [String]?)?

  init(
    _ settings: TransportSettings, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(NetworkError) {
    self.settings = settings
    try settings.proxy.check()
    try settings.checkUserAgent()
    try settings.checkUnixSocket()
    for identity in settings.trust.identities.values {
      try identity.certificate.checkReadable()
      try identity.key?.checkReadable()
    }
    identities = try HostTable(settings.trust.identities, setting: "identities")
    pins = try HostPins(settings.trust.pinnedKeys)
    authorities = try Authorities(settings.trust, environment)
    speaksHTTP2 = settings.speaksHTTP2
    resolve = settings.unixSocketPath == nil ? settings.resolve : nil
    codings = settings.contentCodings.filter(\.isSupported)
    hasProxy = settings.proxy.isSet(in: environment)
    proxyExceptions =
      switch settings.proxy {
      case .environment: ProxyExceptions(environment: environment)
      case .direct: ProxyExceptions([])
      case .server(_, _, _, let exceptions): ProxyExceptions(exceptions)
      }
  }
}

extension Proxy {
  fileprivate func check() throws(NetworkError) {
    guard case .server(let url, let user, let password, _) = self else { return }
    guard ["http", "https", "socks5", "socks5h"].contains(url.scheme?.lowercased()), url.host?.isEmpty == false else {
      throw NetworkError(.invalidTransport, reason: "invalid proxy URL \(url.redacted)")
    }
    guard [user, password].allSatisfy({ $0?.hasControlCharacter != true }) else {
      throw NetworkError(.invalidTransport, reason: "control character in the proxy's user name or password")
    }
  }
}

extension TransportSettings {
  /// The maximum length of a path in the system's socket address, without the terminating zero.
  private static let socketPathByteLimit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// Throws for a control character: libcurl sends the text as it is, and a line break would begin another header
  /// field.
  fileprivate func checkUserAgent() throws(NetworkError) {
    guard !userAgent.hasControlCharacter else {
      throw NetworkError(.invalidTransport, reason: "control character in `userAgent`")
    }
  }

  fileprivate func checkUnixSocket() throws(NetworkError) {
    guard let path = unixSocketPath else { return }
    guard (1...TransportSettings.socketPathByteLimit).contains(path.utf8.count), !path.utf8.contains(0) else {
      throw NetworkError(
        .invalidTransport,
        reason: "the path of a Unix socket must have 1 to \(TransportSettings.socketPathByteLimit) bytes and no NUL")
    }
  }
}
#endif
