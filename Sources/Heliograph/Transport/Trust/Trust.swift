public import Foundation

/// The servers that are trusted, and the client's certificates.
///
/// It applies to ``CurlTransport``, and on Apple's platforms to ``URLSessionTransport``.
public struct Trust: Sendable, Hashable {
  /// A file of certificates in PEM form that are trusted instead of the system's.
  ///
  /// If the file holds no certificate, the creation of a ``CurlTransport`` fails with
  /// ``NetworkError/Code/invalidTransport``, and so does every request of a ``URLSessionTransport``. Default: `nil`,
  /// the system's certificates. Like the `curl` command, libcurl reads them from the files named by the environment
  /// variables `CURL_CA_BUNDLE`, or else `SSL_CERT_FILE` and `SSL_CERT_DIR`, or else from its own default.
  public var authorities: URL?
  /// PEM certificate files that are trusted in addition to the system's, or to those of ``authorities``.
  ///
  /// Intended for the certificate authority of a company or a test. The files are read once, when the transport is
  /// created. If a file holds no certificate, the system's authorities are not found, or libcurl cannot take them from
  /// memory, the creation of a ``CurlTransport`` fails with ``NetworkError/Code/invalidTransport``. So does every
  /// request of a ``URLSessionTransport`` if a file holds no certificate.
  ///
  /// In an app, App Transport Security evaluates the server as well: over ``URLSessionTransport`` the Info.plist must
  /// name the server's host in `NSExceptionDomains` with `NSExceptionAllowsInsecureHTTPLoads`. Default: none.
  public var additionalAuthorities: [URL] = []
  /// The pinned keys of each host: a server must have one of them, in addition to a trusted certificate.
  ///
  /// ```swift
  /// settings.trust.pinnedKeys = ["api.example.com": [current, backup], "*": [company]]
  /// ```
  /// A host is a name or an IP address, `*.example.com` for all hosts below a domain, or `*` for every host. If several
  /// entries match, only the longest applies. An empty list pins nothing. A request to a server with another key fails
  /// with ``NetworkError/Code/untrustedCertificate``. Each key is the SHA-256 hash, in base 64, of the certificate's
  /// SubjectPublicKeyInfo (RFC 7469 §2.4). Add a backup key, or no client can connect when the server's key has to be
  /// replaced. On Apple's platforms a TLS session that another part of the process has established with the host may be
  /// resumed without a check of the pins; `NSPinnedDomains` in the Info.plist covers every session. Default: none,
  /// which allows any key.
  public var pinnedKeys: [String: [String]] = [:]
  /// The client's certificate and its private key, for each host that it is presented to.
  ///
  /// ```swift
  /// settings.trust.identities = ["api.example.com": identity]
  /// ```
  /// Hosts have the form of ``pinnedKeys``, and `*` presents a certificate to every host. No other host gets it, neither
  /// after a redirect nor for a URL that a server has sent, and no proxy does. On Apple's platforms a TLS session that
  /// another part of the process has established without a certificate may be resumed. Default: none.
  public var identities: [String: Identity] = [:]
  /// The minimum TLS version for connections to servers and proxies.
  ///
  /// Default: ``TLSVersion/tls12``.
  public var minimumTLSVersion = TLSVersion.tls12

  /// Creates settings that trust the system's certificate authorities.
  public init() {}

  /// A client's certificate with its private key.
  public struct Identity: Sendable, Hashable {
    /// The file of the certificate in PEM form; if ``key`` is `nil`, a PKCS #12 file with both.
    public var certificate: URL
    /// The file of the private key in PEM form; `nil` with PKCS #12.
    ///
    /// It may be the same file as ``certificate``.
    public var key: URL?
    /// The passphrase of the key; `nil` if the key is not encrypted.
    public var passphrase: String?

    /// Creates an identity in PEM form, for ``CurlTransport``.
    public init(certificate: URL, key: URL, passphrase: String? = nil) {
      self.certificate = certificate
      self.key = key
      self.passphrase = passphrase
    }

    /// Creates an identity from a PKCS #12 file (RFC 7292), which usually has the extension `p12` or `pfx`.
    ///
    /// ``CurlTransport`` supports it if libcurl uses OpenSSL, as most builds do, and ``URLSessionTransport`` on Apple's
    /// platforms, where a passphrase is needed.
    public init(pkcs12: URL, passphrase: String? = nil) {
      self.certificate = pkcs12
      self.passphrase = passphrase
    }
  }
}

/// A version of TLS.
///
/// New cases may be added, so a `switch` should have a `default`.
public enum TLSVersion: Sendable, Hashable {
  /// TLS 1.2 (RFC 5246).
  case tls12
  /// TLS 1.3 (RFC 8446).
  case tls13
}

extension Trust.Identity: _Summarized {
  /// The files on one line, without the passphrase.
  public var description: String { [certificate, key].compactMap { $0?.path }.joined(separator: ", ").singleLine }
  /// The files, without the passphrase.
  public var customMirror: Mirror {
    Mirror(self, children: ["certificate": certificate, "key": key as Any], displayStyle: .struct)
  }
}
