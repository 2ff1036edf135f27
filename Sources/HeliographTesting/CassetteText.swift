import Foundation
import Heliograph

/// The storage format of bodies in a cassette: text without secrets, or base64 with the prefix `base64:`.
///
/// In JSON, forms and multipart bodies the values of secret names are replaced. Any other body, including malformed
/// JSON, is stored only if it contains no secret name and no JSON Web Token; in binary bodies only long names count.
enum CassetteText {
  static func text(_ data: Data, _ contentType: String?, _ redaction: SecretRedaction = SecretRedaction()) -> String {
    let text = String(validating: data, as: UTF8.self)
    let redacted: Data
    if let json = redaction.redactedJSON(data, text) {
      redacted = Data(json.utf8)
    } else if let text, contentType?.isFormMediaType == true {
      redacted = Data(text.redactingSecrets(of: contentType).utf8)
    } else if let lines = text.flatMap({ redaction.redactedLines($0) }) {
      redacted = Data(lines.utf8)
    } else {
      redacted = redaction.parts(of: data, contentType) ?? redaction.redactedIfSecret(data)
    }
    return unredacted(redacted)
  }

  /// Returns the stored text of a body without secrets.
  static func unredacted(_ data: Data) -> String {
    guard let text = String(validating: data, as: UTF8.self), !text.hasPrefix(prefix) else {
      return prefix + data.base64EncodedString()
    }
    return text
  }

  static func body(_ text: String) -> Data {
    guard text.hasPrefix(prefix) else { return Data(text.utf8) }
    return Data(base64Encoded: String(text.dropFirst(prefix.count))) ?? Data()
  }

  private static let prefix = "base64:"
}

extension SecretRedaction {
  /// Returns the data if it contains neither a secret name nor a JSON Web Token, else the placeholder.
  ///
  /// Text in another encoding, such as ISO 8859-1 or UTF-16, is searched like UTF-8. In other bytes a short name may
  /// occur by chance, but neither a long one nor a token.
  fileprivate func redactedIfSecret(_ data: Data) -> Data {
    // Without its zeros, UTF-16 is ASCII.
    let bytes = data.filter { $0 != 0 }
    let text = String(decoding: bytes, as: UTF8.self)
    let isSecret =
      bytes.isText ? text.mentionsSecret : data.mentionsSecret || text.redactingWebTokens(with: placeholder) != text
    return isSecret ? Data(placeholder.utf8) : data
  }

  /// Returns a multipart body (RFC 7578) with placeholders for parts with secret names or other secret content; `nil`
  /// if it is not a multipart body with CRLF line ends.
  fileprivate func parts(of data: Data, _ contentType: String?) -> Data? {
    guard let contentType, contentType.mediaType.hasPrefix("multipart/"),
      let boundary = contentType.mediaTypeParameter("boundary"), !boundary.isEmpty,
      data.starts(with: Data("--\(boundary)".utf8))
    else { return nil }
    let delimiter = Data("\r\n--\(boundary)".utf8)
    var result = Data("--\(boundary)".utf8)
    var remaining = data.dropFirst(result.count)
    while !remaining.isEmpty {
      let end = remaining.range(of: delimiter)
      guard let part = part(remaining[..<(end?.lowerBound ?? remaining.endIndex)]) else { return nil }
      result += part
      if end != nil { result += delimiter }
      remaining = remaining[(end?.upperBound ?? remaining.endIndex)...]
    }
    return result
  }

  /// Returns the text after a delimiter; `nil` if it is neither a part nor the end.
  private func part(_ part: Data) -> Data? {
    guard let end = part.range(of: Data("\r\n\r\n".utf8)) else {
      return part.starts(with: Data("--".utf8)) && part.count <= 4 ? Data(part) : nil
    }
    let lines = String(decoding: part[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    var type: String?
    var names: [String] = []
    for line in lines where !line.isEmpty {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let (name, value) = (line[..<colon].lowercased(), String(line[line.index(after: colon)...]))
      if name == "content-type" { type = value.trimmingCharacters(in: .whitespaces) }
      // A further header field may also hold a secret.
      let field = HTTPHeaders.Field(name: name, value: value)
      if field.redactedValue != value { return nil }
      names += ["name", "name*"].compactMap(value.mediaTypeParameter).map { $0.removingPercentEncoding ?? $0 }
    }
    let isSecret = names.contains { $0.split(separator: "'").last.map(String.init)?.namesSecretParameter ?? false }
    let content = Data(part[end.upperBound...])
    let redacted = isSecret ? Data(placeholder.utf8) : CassetteText.body(CassetteText.text(content, type, self))
    return Data(part[..<end.upperBound]) + redacted
  }
}

extension Data {
  /// Whether the bytes are UTF-8, or have no control characters other than spaces and line ends, as in most other encodings.
  fileprivate var isText: Bool {
    String(validating: self, as: UTF8.self) != nil || allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) }
  }
}
