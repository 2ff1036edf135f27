import Foundation
import Heliograph

/// How a cassette stores bodies: as text without secrets, or in base64 with the prefix `base64:`.
enum CassetteText {
  /// Returns the text of a body.
  static func text(_ data: Data, _ contentType: String?, _ redaction: SecretRedaction = SecretRedaction()) -> String {
    if let json = try? JSON(data: data) {
      let redacted = redaction.value(json)
      if redacted != json { return redacted.description }
    }
    let data = data.redactingSecretParts(of: contentType)
    guard let text = String(validating: data, as: UTF8.self) else { return base64(data) }
    // Malformed JSON is kept for tests of malformed bodies.
    let shown =
      contentType?.isFormMediaType == true
      ? text.redactingSecrets(of: contentType) : text.redactingSecretLines(redaction)
    return shown.hasPrefix(prefix) ? base64(Data(shown.utf8)) : shown
  }

  /// Returns the body of a text.
  static func body(_ text: String) -> Data {
    guard text.hasPrefix(prefix) else { return Data(text.utf8) }
    return Data(base64Encoded: String(text.dropFirst(prefix.count))) ?? Data()
  }

  private static let prefix = "base64:"

  private static func base64(_ data: Data) -> String { prefix + data.base64EncodedString() }
}

extension Data {
  /// Returns a multipart body with `<redacted>` for the content of parts with secret names (RFC 7578); others unchanged.
  fileprivate func redactingSecretParts(of contentType: String?) -> Data {
    guard let contentType, contentType.mediaType.hasPrefix("multipart/"),
      let boundary = contentType.firstMatch(of: /boundary="?([^"; ]+)/.ignoresCase())?.output.1
    else { return self }
    let delimiter = Data("\r\n--\(boundary)".utf8)
    var result = Data()
    var rest = self[...]
    while !rest.isEmpty {
      let end = rest.range(of: delimiter)?.lowerBound ?? rest.endIndex
      result += rest[..<end].redactingSecretPart
      let next = rest.index(end, offsetBy: delimiter.count, limitedBy: rest.endIndex) ?? rest.endIndex
      result += rest[end..<next]
      rest = rest[next...]
    }
    return result
  }

  /// The part with `<redacted>` for its content if its name is secret.
  private var redactingSecretPart: Data {
    guard let end = range(of: Data("\r\n\r\n".utf8)) else { return self }
    let head = String(decoding: self[..<end.lowerBound], as: UTF8.self)
    guard let name = head.firstMatch(of: /[; ]name="?([^";\r\n]*)/.ignoresCase())?.output.1,
      String(name).namesSecretParameter
    else {
      return self
    }
    return self[..<end.upperBound] + Data("<redacted>".utf8)
  }
}
