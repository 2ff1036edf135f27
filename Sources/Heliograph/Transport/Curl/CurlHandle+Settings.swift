import CCurl
import Foundation

extension CurlHandle {
  /// What the transport's settings say; the same for every request.
  func apply(_ settings: TransportSettings) {
    set(CCURL_OPT_CONNECTTIMEOUT_MS, settings.connectTimeout.wholeMilliseconds)
    set(CCURL_OPT_HTTP_VERSION, settings.speaksHTTP2 ? CCURL_HTTP_VERSION_2TLS : CCURL_HTTP_VERSION_1_1)
    set(CCURL_OPT_USERAGENT, settings.userAgent.isEmpty ? nil : settings.userAgent)
    apply(settings.proxy)
    apply(settings.trust, isProxySecure: settings.proxy.isSecure)
    let version = settings.minimumTLSVersion == .tls13 ? CCURL_SSLVERSION_TLS_1_3 : CCURL_SSLVERSION_TLS_1_2
    set(CCURL_OPT_SSLVERSION, version)
    if settings.proxy.isSecure { set(CCURL_OPT_PROXY_SSLVERSION, version) }
  }

  private func apply(_ proxy: Proxy) {
    switch proxy {
    case .environment: break
    case .direct: set(CCURL_OPT_PROXY, "")
    case .server(let url, let user, let password, let exceptions):
      set(CCURL_OPT_PROXY, url.absoluteString)
      set(CCURL_OPT_PROXYUSERPWD, user.map { $0.escaped + ":" + (password ?? "").escaped })
      set(CCURL_OPT_NOPROXY, exceptions.joined(separator: ","))
    }
  }

  private func apply(_ trust: Trust, isProxySecure: Bool) {
    set(CCURL_OPT_SSL_VERIFYPEER, 1)
    set(CCURL_OPT_SSL_VERIFYHOST, 2)
    if let file = trust.authorities {
      set(CCURL_OPT_CAINFO, file.path)
      // Many builds have a folder of the system's authorities besides, which would go on being trusted.
      suggestNone(CCURL_OPT_CAPATH)
      if isProxySecure {
        set(CCURL_OPT_PROXY_CAINFO, file.path)
        suggestNone(CCURL_OPT_PROXY_CAPATH)
      }
    }
    if !trust.pinnedKeys.isEmpty {
      set(CCURL_OPT_PINNEDPUBLICKEY, trust.pinnedKeys.map { "sha256//" + $0 }.joined(separator: ";"))
    }
    if let identity = trust.identity {
      set(CCURL_OPT_SSLCERT, identity.certificate.path)
      set(CCURL_OPT_SSLKEY, identity.key.path)
      // Without one OpenSSL would ask for the passphrase of an encrypted key at the terminal, and stop the loop meanwhile.
      set(CCURL_OPT_KEYPASSWD, identity.passphrase ?? "")
    }
  }
}

extension String {
  /// With all but letters and digits in percent form, which libcurl undoes: in some versions, it does so unasked.
  fileprivate var escaped: String {
    utf8.map { byte in
      let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      let digits = String(byte, radix: 16, uppercase: true)
      return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
    }
    .joined()
  }
}

extension Proxy {
  /// Whether it may be spoken to over TLS; one that the environment names may be.
  fileprivate var isSecure: Bool {
    switch self {
    case .environment: true
    case .direct: false
    case .server(let url, _, _, _): url.scheme?.lowercased() == "https"
    }
  }
}

extension TransportSettings {
  /// Whether HTTP/2 may be spoken.
  var speaksHTTP2: Bool { allowsHTTP2 && CurlQuirks.speaksHTTP2 }

  /// Throws a `client` error if a file cannot be read or a pin is none: better now than with the first request.
  func check() throws(NetworkError) {
    for file in [trust.authorities, trust.identity?.certificate, trust.identity?.key].compactMap({ $0 }) {
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder)
      guard FileManager.default.isReadableFile(atPath: file.path), !isFolder.boolValue else {
        throw NetworkError(.client, .badTransport, reason: "\(file.path) cannot be read")
      }
    }
    for pin in trust.pinnedKeys where Data(base64Encoded: pin)?.count != 32 {
      throw NetworkError(
        .client, .badTransport, reason: "\(pin.debugDescription) is no SHA-256 hash in base 64")
    }
    if case .server(let url, _, _, _) = proxy {
      guard ["http", "https", "socks5", "socks5h"].contains(url.scheme?.lowercased()), url.host?.isEmpty == false else {
        throw NetworkError(.client, .badTransport, reason: "\(url.redacted) is no address of a proxy")
      }
    }
  }
}

extension Duration {
  /// In milliseconds, rounded up: at least 1, because libcurl takes 0 for its own default, and at most 24 days, because it
  /// refuses more.
  var wholeMilliseconds: Int {
    let (seconds, attoseconds) = components
    guard seconds < 2_073_600 else { return 2_073_600_000 }
    return max(1, Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
  }
}
