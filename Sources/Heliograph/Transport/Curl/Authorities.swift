#if HELIOGRAPH_CURL
import CCurl
import Foundation

/// Where libcurl finds the authorities that are trusted.
struct Authorities: Sendable {
  /// A file in place of libcurl's default, if there is one.
  private(set) var file: String?
  /// A folder, or several with colons in between, in place of libcurl's default.
  private(set) var folder: String?
  /// Whether libcurl's default folder is left out: many builds have one beside the file, which would go on being trusted.
  private(set) var hasNoFolder = false
  /// All certificates, in place of a file.
  private(set) var bundle: AuthorityBundle?

  /// Where libcurl looks on systems that do not tell: before 7.84 it does not say itself.
  private static let usualFiles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
  ]

  /// - Throws: a `client` error if a file cannot be read or holds no certificate, or the system's are not found.
  init(_ trust: Trust, _ environment: [String: String]) throws(NetworkError) {
    if let authorities = trust.authorities {
      try authorities.checkReadable()
      file = authorities.path
      hasNoFolder = true
    } else {
      // As the curl command does. An empty value is none.
      func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
      if let all = value("CURL_CA_BUNDLE") {
        file = all
      } else {
        file = value("SSL_CERT_FILE")
        folder = value("SSL_CERT_DIR")
      }
    }
    if trust.additionalAuthorities.isEmpty { return }
    var text = Data()
    let found = hasNoFolder ? file : file ?? Authorities.systemFile
    if let found {
      text = try URL(fileURLWithPath: found).readCertificates()
    } else if folder == nil, CurlLibrary.defaultAuthorities(CCURL_INFO_CAPATH) == nil {
      throw NetworkError(
        .client, .invalidTransport,
        reason: "the system's authorities are not found: set SSL_CERT_FILE or trust.authorities"
      )
    }
    for url in trust.additionalAuthorities { text += [0x0A] + (try url.readCertificates()) }
    bundle = AuthorityBundle(text)
  }

  private static var systemFile: String? {
    ([CurlLibrary.defaultAuthorities(CCURL_INFO_CAINFO)].compactMap { $0 } + usualFiles).first {
      FileManager.default.isReadableFile(atPath: $0)
    }
  }
}

/// Certificates in memory that stays where it is, so that libcurl need not copy them for each handle.
final class AuthorityBundle: Sendable {
  // Written by `init` alone.
  nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

  init(_ data: Data) {
    bytes = .allocate(byteCount: data.count, alignment: 1)
    bytes.copyBytes(from: data)
  }

  deinit { bytes.deallocate() }
}

extension URL {
  /// The content of a file in PEM form; throws a `client` error if it cannot be read or holds no certificate.
  fileprivate func readCertificates() throws(NetworkError) -> Data {
    try checkReadable()
    guard let data = try? Data(contentsOf: self) else {
      throw NetworkError(.client, .invalidTransport, reason: "\(path) cannot be read")
    }
    // libcurl would leave it out without a word.
    let marks = ["-----BEGIN CERTIFICATE-----", "-----BEGIN TRUSTED CERTIFICATE-----"]
    guard marks.contains(where: { data.range(of: Data($0.utf8)) != nil }) else {
      throw NetworkError(.client, .invalidTransport, reason: "\(path) holds no certificate in PEM form")
    }
    return data
  }
}
#endif
