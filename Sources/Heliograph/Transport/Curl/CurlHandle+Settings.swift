#if HELIOGRAPH_CURL
import CCurl
import Foundation

extension CurlHandle {
  /// Sets the options of the transport's settings, which are the same for every request.
  func apply(_ resolved: ResolvedSettings) {
    let settings = resolved.settings
    set(CCURL_OPT_CONNECTTIMEOUT_MS, settings.connectTimeout.wholeMilliseconds)
    set(CCURL_OPT_HTTP_VERSION, settings.speaksHTTP2 ? CCURL_HTTP_VERSION_2TLS : CCURL_HTTP_VERSION_1_1)
    let agent = settings.userAgent.trimmedField
    set(CCURL_OPT_USERAGENT, agent.isEmpty ? nil : agent)
    apply(settings.proxy)
    apply(resolved.authorities, isProxySecure: settings.proxy.isSecure)
    applyConnections(settings)
    // Those of other hosts are set with the request.
    if let identity = resolved.identities.all.first { set(identity: identity) }
    // A resumed session would have the former content of a replaced file.
    if resolved.authorities.hasNoFolder || !resolved.identities.all.isEmpty { set(CCURL_OPT_SSL_SESSIONID_CACHE, 0) }
    if let pins = resolved.pins.first { set(pins: pins) }
    let version = settings.trust.minimumTLSVersion == .tls13 ? CCURL_SSLVERSION_TLS_1_3 : CCURL_SSLVERSION_TLS_1_2
    set(CCURL_OPT_SSLVERSION, version)
    if settings.proxy.isSecure { set(CCURL_OPT_PROXY_SSLVERSION, version) }
  }

  /// Sets the public keys that the server may have; `nil` allows any.
  func set(pins: [String]?) {
    set(CCURL_OPT_PINNEDPUBLICKEY, pins.map { $0.map { "sha256//" + $0 }.joined(separator: ";") })
    lastPins = pins
  }

  /// Sets the certificate that is presented to the server, but not to a proxy, which has options of its own.
  func set(identity: Trust.Identity?) {
    set(CCURL_OPT_SSLCERT, identity?.certificate.path)
    set(CCURL_OPT_SSLKEY, identity?.key?.path)
    set(CCURL_OPT_SSLCERTTYPE, identity != nil && identity?.key == nil ? "P12" : nil)
    // Without a passphrase OpenSSL would ask for it on the terminal and block the loop.
    set(CCURL_OPT_KEYPASSWD, identity.map { $0.passphrase ?? "" })
    lastIdentity = identity
  }

  private func apply(_ proxy: Proxy) {
    // The exceptions are set with each request.
    set(CCURL_OPT_NOPROXY, "")
    switch proxy {
    case .environment: break
    case .direct: set(CCURL_OPT_PROXY, "")
    case .server(let url, let user, let password, _):
      set(CCURL_OPT_PROXY, url.absoluteString)
      // libcurl decodes it, some versions even when not asked to.
      let encoding = PercentEncoding.query
      set(CCURL_OPT_PROXYUSERPWD, user.map { encoding.encode($0) + ":" + encoding.encode(password ?? "") })
    }
  }

  private func apply(_ authorities: Authorities, isProxySecure: Bool) {
    set(CCURL_OPT_SSL_VERIFYPEER, 1)
    set(CCURL_OPT_SSL_VERIFYHOST, 2)
    if let bundle = authorities.bundle {
      set(CCURL_OPT_CAINFO_BLOB, bundle)
      if isProxySecure { set(CCURL_OPT_PROXY_CAINFO_BLOB, bundle) }
    } else if let file = authorities.file {
      set(CCURL_OPT_CAINFO, file)
      if isProxySecure { set(CCURL_OPT_PROXY_CAINFO, file) }
    }
    // Read for each connection, as a client's certificate is, because the file may be replaced; libcurl would use what
    // it has read for a day. The system's are too many.
    suggest(CCURL_OPT_CA_CACHE_TIMEOUT, authorities.hasNoFolder ? 0 : Authorities.systemCacheSeconds)
    if let folder = authorities.folder {
      set(CCURL_OPT_CAPATH, folder)
      if isProxySecure { set(CCURL_OPT_PROXY_CAPATH, folder) }
    } else if authorities.hasNoFolder {
      // The path of a file as the folder, so that no certificate is found in it.
      let noFolder = CurlQuirks.noFolderMeansDefault ? authorities.file : nil
      suggest(CCURL_OPT_CAPATH, noFolder)
      if isProxySecure { suggest(CCURL_OPT_PROXY_CAPATH, noFolder) }
    } else if authorities.ignoresDefaultFolder {
      suggest(CCURL_OPT_CAPATH, nil)
      if isProxySecure { suggest(CCURL_OPT_PROXY_CAPATH, nil) }
    }
  }

  private func applyConnections(_ settings: TransportSettings) {
    set(CCURL_OPT_MAXAGE_CONN, settings.maximumConnectionIdleTime.wholeSeconds)
    if let lifetime = settings.maximumConnectionLifetime { set(CCURL_OPT_MAXLIFETIME_CONN, lifetime.wholeSeconds) }
    if let path = settings.unixSocketPath {
      set(CCURL_OPT_UNIX_SOCKET_PATH, path)
    }
    set(CCURL_OPT_FORBID_REUSE, !settings.keepsConnections)
    suggest(CCURL_OPT_TCP_KEEPALIVE, settings.tcpKeepAlive == nil ? 0 : 1)
    if let keepAlive = settings.tcpKeepAlive {
      set(CCURL_OPT_TCP_KEEPIDLE, keepAlive.wholeSeconds)
      set(CCURL_OPT_TCP_KEEPINTVL, keepAlive.wholeSeconds)
    }
  }
}

extension Proxy {
  /// Whether the proxy may be an https proxy; the environment may name one.
  fileprivate var isSecure: Bool {
    switch self {
    case .environment: true
    case .direct: false
    case .server(let url, _, _, _): url.scheme?.lowercased() == "https"
    }
  }
}

extension TransportSettings {
  /// Whether a connection may be used again; see `CurlQuirks` about Unix domain sockets.
  var keepsConnections: Bool {
    maximumConnectionIdleTime > .zero && !(unixSocketPath != nil && CurlQuirks.sendsOnUncleanConnections)
  }
  var speaksHTTP2: Bool { allowsHTTP2 && CurlQuirks.speaksHTTP2 }
}

extension Duration {
  /// The duration in milliseconds, rounded up, from 1 to 24 days: libcurl takes 0 as its own default and refuses more.
  var wholeMilliseconds: Int {
    let (seconds, attoseconds) = components
    guard seconds < 2_073_600 else { return 2_073_600_000 }
    return max(1, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
  }
  /// The duration in seconds, rounded up: at least 1, because libcurl takes 0 as never or always, and at most 24 days.
  var wholeSeconds: Int { (wholeMilliseconds + 999) / 1000 }
}
#endif
