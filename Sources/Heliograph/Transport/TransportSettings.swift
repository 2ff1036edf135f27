/// The settings of a ``CurlTransport``; each has a default.
public struct TransportSettings: Sendable {
  /// The maximum number of exchanges in flight; the rest wait in a queue.
  ///
  /// Exchanges of a higher ``HTTPRequest/priority`` start first, those of the same priority in the order of their
  /// subscriptions. Requests of a ``Recovery`` do not wait and are not counted. As many connections are kept, in use
  /// and idle, but idle ones take about a quarter of the process's limit of file descriptors at most. Default: 64.
  public var concurrencyLimit = 64
  /// The maximum number of exchanges in flight per host, counted by ``Origin``.
  ///
  /// A host at its limit does not delay exchanges with other hosts, unless ``concurrencyLimit`` is reached. Requests of
  /// a ``Recovery`` do not wait and are not counted. Default: 64.
  public var concurrencyLimitPerHost = 64
  /// How long a connection may be idle and still be reused.
  ///
  /// The duration is rounded up to whole seconds. Set it below the time after which the server, or a firewall in
  /// between, drops idle connections. A connection that was idle for longer is closed when a request looks for a
  /// connection. With zero or less each connection is closed after its exchange, for devices that accept few
  /// connections; concurrent HTTP/2 exchanges still share one. Default: 118 seconds, libcurl's default.
  public var maximumConnectionIdleTime: Duration = .seconds(118)
  /// The maximum age of a connection that is reused.
  ///
  /// The duration is rounded up to whole seconds, at least one. A limit lets a change of the server's IP address take
  /// effect under constant traffic. The limit does not end an exchange in flight, and an HTTP/2 connection remains in
  /// use beyond it while exchanges overlap on it. Default: `nil`, no limit.
  public var maximumConnectionLifetime: Duration?
  /// The idle time before the first TCP keep-alive probe, and the interval between probes (RFC 9293 §3.8.4).
  ///
  /// Probes detect that the peer of an idle connection no longer responds. The duration is rounded up to whole seconds,
  /// at least one. Default: 60 seconds; `nil` sends none.
  public var tcpKeepAlive: Duration? = .seconds(60)
  /// The connect timeout: the maximum time for name resolution, connecting and the TLS handshake together.
  ///
  /// An exchange that exceeds it fails with ``NetworkError/Code/timedOut``. Default: 30 seconds.
  public var connectTimeout: Duration = .seconds(30)
  /// The proxy that requests go through.
  ///
  /// Default: ``Proxy/environment``.
  public var proxy: Proxy = .environment
  /// The path of a Unix domain socket to which all requests are sent, whatever host their URL names.
  ///
  /// For a server on this machine, such as Docker's: `http://localhost/version` over `/var/run/docker.sock`. The `Host`
  /// field and the name that a certificate must have still come from the URL. No proxy is used, and ``resolve`` is not
  /// called. A request with a body of more than 64 KiB, a file or a stream has a connection of its own; with libcurl
  /// before 8.0 every request has. Maximum: 107 bytes, 103 on Apple's platforms. Default: `nil`, none.
  public var unixSocketPath: String?
  /// The servers that are trusted, and the client's certificates.
  ///
  /// Default: the certificate authorities that the system trusts.
  public var trust = Trust()
  /// Returns the IP addresses of a host and port in place of the system's resolver; `nil` uses that resolver.
  ///
  /// The closure is called once for each exchange whose host is a name, on the transport's thread, and must not block.
  /// Its addresses apply to new connections: an exchange on a kept one stays there (``maximumConnectionLifetime``).
  /// An exchange for which it returns an empty list fails with ``NetworkError/Code/cannotFindHost``; with anything but
  /// IP addresses, with ``NetworkError/Code/invalidTransport``. Default: `nil`, the system's resolver.
  public var resolve: (@Sendable (_ host: String, _ port: Int) -> [String]?)?
  /// The content codings that are offered to the server, and decoded before the body is delivered.
  ///
  /// Codings that this machine cannot decode are not offered: see ``ContentCoding/isSupported``. Several codings in a
  /// row are decoded. A coding that was not offered fails with ``NetworkError/Code/undecodableBody``, and data that
  /// expands in between by 64 MiB more than to twice the body with ``NetworkError/Code/responseTooLarge``. A
  /// `Content-Encoding` that is no registered coding, such as `utf-8`, is ignored. If none is offered, because the list
  /// has no supported coding or the request has its own `Accept-Encoding` or `Range`, the body is delivered as sent.
  /// Default: all.
  public var contentCodings: [ContentCoding] = ContentCoding.allCases
  /// Whether HTTP/2 is used with servers that support it.
  ///
  /// HTTP/2 needs TLS and libcurl 8.14 or later; it is never used over plain http. Default: `true`.
  public var allowsHTTP2 = true
  /// The `User-Agent` of requests that set none.
  ///
  /// With a control character the creation of a ``CurlTransport`` fails with ``NetworkError/Code/invalidTransport``.
  /// Default: `Heliograph`.
  public var userAgent = "Heliograph"

  /// Creates settings with their defaults.
  ///
  /// - Parameters:
  ///   - concurrencyLimit: The maximum number of exchanges in flight; values below 1 count as 1. Default: 64.
  ///   - concurrencyLimitPerHost: The maximum number of exchanges in flight per host; values below 1 count as 1.
  ///     Default: 64.
  public init(concurrencyLimit: Int = 64, concurrencyLimitPerHost: Int = 64) {
    self.concurrencyLimit = concurrencyLimit
    self.concurrencyLimitPerHost = concurrencyLimitPerHost
  }
}

/// A content coding: a compression of the body by the server (RFC 9110 §8.4.1).
///
/// A transport offers only the codings that the machine can decode: see ``isSupported``. New cases may be added, so a
/// `switch` should have a `default`.
public enum ContentCoding: String, Sendable, Hashable, CaseIterable {
  /// gzip (RFC 1952), with one member or several.
  case gzip
  /// zlib (RFC 1950), or raw deflate (RFC 1951), which some servers send instead.
  case deflate
  /// Brotli (RFC 7932), if the machine has libbrotlidec.
  case brotli = "br"
  /// Zstandard (RFC 8878), with one frame or several, if the machine has libzstd.
  ///
  /// A body whose window is larger than 8 MiB is refused (RFC 9659 §3).
  case zstd
}
