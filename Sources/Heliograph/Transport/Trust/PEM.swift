import Foundation

/// A parser for PEM files: binary data as text between lines of dashes (RFC 7468).
enum PEM {
  /// Returns the certificates of a file in DER, before the first one that is incomplete or not base 64.
  static func certificates(in data: Data) -> [Data] {
    var found: [Data] = []
    var text = String(decoding: data, as: UTF8.self)[...]
    while let begin = text.range(of: "-----BEGIN CERTIFICATE-----"),
      let end = text[begin.upperBound...].range(of: "-----END CERTIFICATE-----")
    {
      let lines = text[begin.upperBound..<end.lowerBound]
      guard let certificate = Data(base64Encoded: String(lines), options: .ignoreUnknownCharacters),
        !certificate.isEmpty
      else { break }
      found.append(certificate)
      text = text[end.upperBound...]
    }
    return found
  }
}

extension URL {
  /// Throws a `client` error unless the URL is a readable file.
  func checkReadable() throws(NetworkError) {
    var isFolder: ObjCBool = false
    _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    guard FileManager.default.isReadableFile(atPath: path), !isFolder.boolValue else {
      throw NetworkError(.invalidTransport, reason: "cannot read \(path)")
    }
  }
}
