public import Foundation

/// How a ``CurlTransport`` works; all that is not said has a default.
public struct TransportSettings: Sendable {
  /// How many exchanges may be under way at once; the others wait, those of a higher
  /// ``HTTPRequest/priority`` in front, and those of the same one in the order in which they were subscribed to.
  ///
  /// Default: 64. Ten thousand requests then take 64 connections, not ten thousand.
  public var activeLimit = 64
  /// How many of them may be with one host, counted by ``Origin``; those of others overtake.
  ///
  /// Default: 64.
  public var activeLimitPerHost = 64
  /// How long finding the address, connecting and the TLS handshake may take together.
  ///
  /// Default: 30 seconds.
  public var connectTimeout: Duration = .seconds(30)
  /// The way to the server.
  ///
  /// Default: ``Proxy/environment``.
  public var proxy: Proxy = .environment
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
  /// Several in a row are undone, and a coding that was not offered is an error. A request with an `Accept-Encoding` or a
  /// `Range` of its own offers none, and gets the body as it came. Default: all there are.
  public var contentCodings: [ContentCoding] = ContentCoding.allCases
  /// Whether HTTP/2 is used where the server offers it, over TLS and with libcurl 8.14 or later; never in the clear.
  ///
  /// Default: `true`.
  public var allowsHTTP2 = true
  /// The oldest version of TLS that is spoken, with servers and proxies.
  ///
  /// Default: ``TLSVersion/tls12``.
  public var minimumTLSVersion = TLSVersion.tls12
  /// What the server is told of the client, if a request does not say.
  ///
  /// Default: `Heliograph`.
  public var userAgent = "Heliograph"

  /// Makes settings with their defaults.
  ///
  /// - Parameters:
  ///   - activeLimit: how many exchanges may be under way at once; less than 1 counts as 1. Default: 64.
  ///   - activeLimitPerHost: how many of them with one host; less than 1 counts as 1. Default: 64.
  public init(activeLimit: Int = 64, activeLimitPerHost: Int = 64) {
    self.activeLimit = activeLimit
    self.activeLimitPerHost = activeLimitPerHost
  }
}

/// The way to a server.
public enum Proxy: Sendable, Hashable {
  /// What `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` in the environment say.
  case environment
  /// None: straight to the server.
  case direct
  /// A proxy at an address of the scheme `http`, `https`, `socks5` or `socks5h`, also for TLS (RFC 9110 §9.3.6).
  ///
  /// `except` holds hosts that are reached without it, each with those below its domain.
  case server(URL, user: String? = nil, password: String? = nil, except: [String] = [])
}

/// Which servers are trusted, and how the client shows who it is.
public struct Trust: Sendable, Hashable {
  /// A file of certificates in PEM form that are trusted in place of the system's.
  ///
  /// Default: `nil`, the system's.
  public var authorities: URL?
  /// The pinned keys: a server must have one of them, besides a trusted certificate.
  ///
  /// Each is the SHA-256 hash, in base 64, of the certificate's SubjectPublicKeyInfo (RFC 7469 §2.4). Name a backup key
  /// too, or no client can connect when the server's has to be replaced. Default: none, any key.
  public var pinnedKeys: [String] = []
  /// The client's certificate and its private key, in PEM form; both may be in one file.
  ///
  /// Default: `nil`, none.
  public var identity: Identity?

  /// Trusts what the system trusts.
  public init() {}

  /// A client's certificate.
  public struct Identity: Sendable, Hashable {
    /// The certificate, in PEM form.
    public var certificate: URL
    /// The private key, in PEM form.
    public var key: URL
    /// What the key is encrypted with; `nil` if it is not.
    public var passphrase: String?

    /// Makes an identity.
    public init(certificate: URL, key: URL, passphrase: String? = nil) {
      self.certificate = certificate
      self.key = key
      self.passphrase = passphrase
    }
  }
}

/// A version of TLS.
public enum TLSVersion: Sendable, Hashable {
  /// RFC 5246.
  case tls12
  /// RFC 8446.
  case tls13
}

/// A way in which a server may compress a body.
///
/// RFC 9110 §8.4.1.
public enum ContentCoding: String, Sendable, Hashable, CaseIterable {
  /// RFC 1952, in one member or several.
  case gzip
  /// RFC 1950, or bare as RFC 1951, which some servers send instead.
  case deflate
}
