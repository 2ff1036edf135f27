import Foundation

/// A public key in the form of certificates (SubjectPublicKeyInfo, RFC 5280 §4.1.2.7), whose hash is a pin.
///
/// Apple's Security framework returns the bare key: PKCS #1 for RSA, an X9.63 point for elliptic curves. The structure
/// around it follows from the kind of key.
enum PublicKeyInfo {
  enum Algorithm: Sendable, Hashable, CaseIterable {
    case rsa, p256, p384, p521

    /// Creates the algorithm of an elliptic-curve key from the length of its point; `nil` for any other curve.
    init?(pointOf byteCount: Int) {
      switch byteCount {
      case 65: self = .p256
      case 97: self = .p384
      case 133: self = .p521
      default: return nil
      }
    }

    /// The contents of AlgorithmIdentifier (RFC 3279 §2.3.1, RFC 5480 §2.1.1), in DER.
    fileprivate var identifier: [UInt8] {
      let curve: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
      switch self {
      case .rsa: return [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00]
      case .p256: return curve + [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
      case .p384: return curve + [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]
      case .p521: return curve + [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x23]
      }
    }
  }

  /// Returns the SubjectPublicKeyInfo of a key, in DER.
  static func encoded(_ key: Data, _ algorithm: Algorithm) -> Data {
    // A bit string begins with the number of its unused bits.
    Data(element(0x30, element(0x30, algorithm.identifier) + element(0x03, [0] + key)))
  }

  /// Returns the pin of a key: the SHA-256 hash of its SubjectPublicKeyInfo, in base 64 (RFC 7469 §2.4).
  static func pin(of key: Data, _ algorithm: Algorithm) -> String {
    Data(SHA256.hash(encoded(key, algorithm))).base64EncodedString()
  }

  /// Returns a DER element: a tag, the length of the contents and the contents.
  private static func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
    var length: [UInt8] = []
    var value = contents.count
    repeat {
      length.insert(UInt8(value & 0xFF), at: 0)
      value >>= 8
    } while value > 0
    // A length below 128 is a single byte; a longer one is preceded by the count of its bytes.
    return [tag] + (contents.count < 128 ? length : [0x80 | UInt8(length.count)] + length) + contents
  }
}

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
