/// How a ``CurlTransport`` works; all that is not said has a default.
public struct TransportSettings: Sendable {
  /// How many exchanges may be in flight at once; the others wait, those of a higher
  /// ``HTTPRequest/priority`` in front, and those of the same one in the order in which they were subscribed to.
  ///
  /// Default: 64. Ten thousand requests then take 64 connections, not ten thousand.
  public var activeLimit = 64
  /// How many of them may be with one host, counted by ``Origin``; those of others overtake.
  ///
  /// Default: 64.
  public var activeLimitPerHost = 64
  /// How long a kept connection may be unused and still be used again; at least a second, in whole ones.
  ///
  /// Set it below the time after which the server, or a firewall on the way, drops idle connections. One that has been unused for
  /// longer is closed when a request looks for a connection. Default: 118 seconds, libcurl's own.
  public var maximumConnectionIdleTime: Duration = .seconds(118)
  /// How old a kept connection may be and still be used again; at least a second, in whole ones.
  ///
  /// It lets a change of a server's address take effect under constant traffic. An exchange in flight is not ended by it. Default:
  /// `nil`, any age.
  public var maximumConnectionLifetime: Duration?
  /// The probes by which the system finds out that the peer of a silent connection has gone (RFC 9293 §3.8.4).
  ///
  /// Default: after 60 seconds, every 60 seconds; `nil` sends none.
  public var tcpKeepAlive: TCPKeepAlive? = TCPKeepAlive()
  /// How long finding the address, connecting and the TLS handshake may take together.
  ///
  /// Default: 30 seconds.
  public var connectTimeout: Duration = .seconds(30)
  /// The way to the server.
  ///
  /// Default: ``Proxy/environment``.
  public var proxy: Proxy = .environment
  /// The path of a Unix domain socket that all requests go to, whatever host their address names.
  ///
  /// For a server on this machine, such as Docker's: `http://localhost/version` over `/var/run/docker.sock`. Host and port of the
  /// address stay in the `Host` field and in what a certificate has to name. There is no proxy then, and ``resolve`` is not
  /// asked. At most 107 bytes, 103 on Apple's systems. Default: `nil`, none.
  public var unixSocketPath: String?
  /// Which servers are trusted, and how the client shows who it is.
  ///
  /// Default: the authorities that the system trusts.
  public var trust = Trust()
  /// Gives the addresses of a host and port, in place of the system's name service; `nil` leaves a host to that.
  ///
  /// It is called once for each exchange whose host is a name, on the transport's thread, and must not wait. An empty list
  /// means that the host is not known; anything but IP addresses is an error. Default: the name service. Requirement S1-34.
  public var resolve: (@Sendable (_ host: String, _ port: Int) -> [String]?)?
  /// The codings in which a body may come; they are offered to the server, and undone before the body is passed on.
  ///
  /// Those that this machine cannot decode are not offered: see ``ContentCoding/isSupported``. Several in a row are undone, and a
  /// coding that was not offered is an error. A request with an `Accept-Encoding` or a `Range` of its own offers none, and gets
  /// the body as it came. Default: all there are.
  public var contentCodings: [ContentCoding] = ContentCoding.allCases
  /// Whether HTTP/2 is used where the server offers it, over TLS and with libcurl 8.14 or later; never in the clear.
  ///
  /// Default: `true`.
  public var allowsHTTP2 = true
  /// What the server is told of the client, if a request does not say.
  ///
  /// Default: `Heliograph`.
  public var userAgent = "Heliograph"

  /// Makes settings with their defaults.
  ///
  /// - Parameters:
  ///   - activeLimit: how many exchanges may be in flight at once; less than 1 counts as 1. Default: 64.
  ///   - activeLimitPerHost: how many of them with one host; less than 1 counts as 1. Default: 64.
  public init(activeLimit: Int = 64, activeLimitPerHost: Int = 64) {
    self.activeLimit = activeLimit
    self.activeLimitPerHost = activeLimitPerHost
  }
}

/// The probes on a silent connection.
public struct TCPKeepAlive: Sendable, Hashable {
  /// The time without traffic before the first probe; at least a second, in whole ones.
  public var idleTime: Duration
  /// The time between probes; at least a second, in whole ones.
  public var interval: Duration

  /// Makes times for probes.
  ///
  /// - Parameters:
  ///   - idleTime: the time without traffic before the first probe. Default: 60 seconds.
  ///   - interval: the time between probes. Default: 60 seconds.
  public init(idleTime: Duration = .seconds(60), interval: Duration = .seconds(60)) {
    self.idleTime = idleTime
    self.interval = interval
  }
}

/// A content coding: a way in which a server may compress a body.
///
/// Of all cases a transport offers those that the machine can decode: see ``isSupported``. RFC 9110 §8.4.1.
public enum ContentCoding: String, Sendable, Hashable, CaseIterable {
  /// RFC 1952, in one member or several.
  case gzip
  /// RFC 1950, or bare as RFC 1951, which some servers send instead.
  case deflate
  /// Brotli (RFC 7932), where the machine has libbrotlidec.
  case brotli = "br"
  /// Zstandard (RFC 8878), in one frame or several, where the machine has libzstd.
  ///
  /// A body whose window is larger than 8 MiB is refused (RFC 9659 §3).
  case zstd
}
