#if HELIOGRAPH_CURL
import CCurl
import Foundation

/// The certificate authorities that libcurl trusts.
struct Authorities: Sendable {
  /// A file that replaces libcurl's default; `nil` for the default.
  private(set) var file: String?
  /// A folder, or several separated by colons, that replaces libcurl's default.
  private(set) var folder: String?
  /// Whether libcurl's default folder is disabled: many builds have one besides the file, and its certificates would
  /// stay trusted.
  private(set) var hasNoFolder = false
  /// Whether libcurl's default file has the certificates of its default folder, as on Debian.
  ///
  /// With a folder, libcurl parses all certificates of the file for each connection, which takes 20 milliseconds;
  /// without one, once in ``systemCacheSeconds``.
  private(set) var ignoresDefaultFolder = false
  /// How long libcurl uses the system's authorities before it reads them again, because updates of the system change
  /// them: 5 minutes.
  static let systemCacheSeconds = 300
  /// The certificates in memory that replace a file.
  private(set) var bundle: AuthorityBundle?

  /// The usual files of the system, for libcurl before 7.84, which does not report its default.
  private static let usualFiles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
  ]

  init(_ trust: Trust, _ environment: [String: String]) throws(NetworkError) {
    if let authorities = trust.authorities {
      _ = try authorities.readCertificates()
      file = authorities.path
      hasNoFolder = true
    } else {
      // As in the curl command. An empty value counts as unset.
      func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
      if let all = value("CURL_CA_BUNDLE") {
        file = all
      } else {
        file = value("SSL_CERT_FILE")
        folder = value("SSL_CERT_DIR")
      }
    }
    if trust.additionalAuthorities.isEmpty {
      ignoresDefaultFolder = folder == nil && Authorities.defaultFileHasFolder(unless: file)
      return
    }
    var text = Data()
    let replacedFile = hasNoFolder ? file : file ?? Authorities.systemFile
    if let replacedFile {
      text = try URL(fileURLWithPath: replacedFile).readCertificates()
    } else if folder == nil, CurlLibrary.defaultAuthorities(CCURL_INFO_CAPATH) == nil {
      throw NetworkError(
        .invalidTransport,
        reason: "no system certificate authorities found: set `SSL_CERT_FILE` or `trust.authorities`"
      )
    }
    for url in trust.additionalAuthorities { text += [0x0A] + (try url.readCertificates()) }
    bundle = AuthorityBundle(text)
  }

  /// Returns whether the default file is readable and in the default folder, unless another file replaces it.
  private static func defaultFileHasFolder(unless other: String?) -> Bool {
    guard !CurlQuirks.noFolderMeansDefault, let file = CurlLibrary.defaultAuthorities(CCURL_INFO_CAINFO),
      let folder = CurlLibrary.defaultAuthorities(CCURL_INFO_CAPATH), other ?? file == file
    else { return false }
    return file.hasPrefix(folder) && FileManager.default.isReadableFile(atPath: file)
  }

  private static var systemFile: String? {
    ([CurlLibrary.defaultAuthorities(CCURL_INFO_CAINFO)].compactMap { $0 } + usualFiles).first {
      FileManager.default.isReadableFile(atPath: $0)
    }
  }
}

/// Certificates in memory at a fixed address, so that libcurl need not copy them for each handle.
final class AuthorityBundle: Sendable {
  // Written only in `init`.
  nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

  init(_ data: Data) {
    bytes = .allocate(byteCount: data.count, alignment: 1)
    bytes.copyBytes(from: data)
  }

  deinit { bytes.deallocate() }
}

extension URL {
  /// Returns the content of a PEM file; throws a `client` error if it cannot be read or holds no certificate.
  fileprivate func readCertificates() throws(NetworkError) -> Data {
    try checkReadable()
    guard let data = try? Data(contentsOf: self) else {
      throw NetworkError(.invalidTransport, reason: "cannot read \(path)")
    }
    // Checked here, because libcurl would silently ignore such a file, or fail with the first request.
    let pemHeaders = ["-----BEGIN CERTIFICATE-----", "-----BEGIN TRUSTED CERTIFICATE-----"]
    guard pemHeaders.contains(where: { data.range(of: Data($0.utf8)) != nil }) else {
      throw NetworkError(.invalidTransport, reason: "no PEM certificate in \(path)")
    }
    return data
  }
}
#endif
