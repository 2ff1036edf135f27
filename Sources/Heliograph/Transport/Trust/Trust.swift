public import Foundation

/// The servers that are trusted, and how the client shows who it is: for ``CurlTransport``, and on Apple's systems for
/// ``URLSessionTransport``.
public struct Trust: Sendable, Hashable {
  /// A file of certificates in PEM form that are trusted in place of the system's.
  ///
  /// Default: `nil`, the system's. Over libcurl, as with the `curl` command, these are those that `CURL_CA_BUNDLE` or else
  /// `SSL_CERT_FILE` and `SSL_CERT_DIR` in the environment name, and libcurl's own default where they name none.
  public var authorities: URL?
  /// Files of certificates in PEM form that are trusted besides the system's, or besides those of ``authorities``.
  ///
  /// For a company's or a test's own authority. They are read once, when the transport is made. That fails with
  /// ``NetworkError/Code/invalidTransport`` if a file holds no certificate, the system's authorities are not found or libcurl cannot
  /// take them from memory. Default: none.
  public var additionalAuthorities: [URL] = []
  /// The pinned keys of each host: a server must have one of them, besides a trusted certificate.
  ///
  /// ```swift
  /// settings.trust.pinnedKeys = ["api.example.com": [current, backup], "*": [company]]
  /// ```
  /// A host is a name or an IP address, `*.example.com` for all hosts below a domain, or `*` for every host; of several that fit,
  /// the longest counts alone, and an empty list pins nothing. Each key is the SHA-256 hash, in base 64, of the certificate's
  /// SubjectPublicKeyInfo (RFC 7469 §2.4). Name a backup key too, or no client can connect when the server's has to be
  /// replaced. Default: none, any key.
  public var pinnedKeys: [String: [String]] = [:]
  /// The client's certificate and its private key.
  ///
  /// Default: `nil`, none.
  public var identity: Identity?
  /// The oldest version of TLS that is spoken, with servers and proxies.
  ///
  /// Default: ``TLSVersion/tls12``.
  public var minimumTLSVersion = TLSVersion.tls12

  /// Trusts what the system trusts.
  public init() {}

  /// A client's certificate with its private key.
  public struct Identity: Sendable, Hashable {
    /// The certificate, in PEM form; without a ``key`` both, as PKCS #12.
    public var certificate: URL
    /// The private key, in PEM form; `nil` with PKCS #12.
    ///
    /// Both may be in one file.
    public var key: URL?
    /// What the key is encrypted with; `nil` if it is not.
    public var passphrase: String?

    /// An identity in PEM form, for ``CurlTransport``.
    public init(certificate: URL, key: URL, passphrase: String? = nil) {
      self.certificate = certificate
      self.key = key
      self.passphrase = passphrase
    }

    /// An identity as PKCS #12 (RFC 7292), usually a file with the ending `p12` or `pfx`.
    ///
    /// Both transports take it; libcurl must use OpenSSL, as most do.
    public init(pkcs12: URL, passphrase: String? = nil) {
      self.certificate = pkcs12
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
