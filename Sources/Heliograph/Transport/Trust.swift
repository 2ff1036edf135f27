public import Foundation

/// The servers that are trusted, and how the client shows who it is.
public struct Trust: Sendable, Hashable {
  /// A file of certificates in PEM form that are trusted in place of the system's.
  ///
  /// Default: `nil`, the system's. As with the `curl` command, these are those that `CURL_CA_BUNDLE` or else `SSL_CERT_FILE` and
  /// `SSL_CERT_DIR` in the environment name, and libcurl's own default where they name none.
  public var authorities: URL?
  /// Files of certificates in PEM form that are trusted besides the system's, or besides those of ``authorities``.
  ///
  /// For a company's or a test's own authority. They are read once, when the transport is made. That fails with
  /// ``NetworkError/Code/badTransport`` if a file holds no certificate, the system's authorities are not found or libcurl cannot
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
