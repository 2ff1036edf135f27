import Foundation

extension String {
  /// Returns the text of a body with `<redacted>` for the values of secret names.
  ///
  /// - Parameter contentType: The content type. Forms and JSON are searched, and text if it or a line of it is JSON. The
  ///   text of another type, and malformed JSON, is replaced with its size.
  /// - Returns: The text.
  package func redactingSecrets(of contentType: String?) -> String {
    let type = contentType ?? ""
    if type.isFormMediaType { return redactingSecretPairs(separatedBy: "&") }
    let isText = type.mediaType.hasPrefix("text/") && !type.isJSONMediaType
    return redactingSecretJSON() ?? (isText ? redactingSecretLines() : "<\(utf8.count) bytes>")
  }

  /// Returns the text with `<redacted>` for the secret members of each line that is JSON, also after `data:`.
  ///
  /// Servers send JSON as text, one value per line, and in the events of a stream.
  package func redactingSecretLines(_ redaction: SecretRedaction = SecretRedaction()) -> String {
    guard utf8.contains(UInt8(ascii: "{")) else { return self }
    var text = ""
    var rest = self[...].utf8
    while !rest.isEmpty {
      let line = Substring(rest.prefix { $0 != 0x0A && $0 != 0x0D })
      let start = line.utf8.firstIndex { "{[".utf8.contains($0) } ?? line.endIndex
      let label = line[..<start]
      let isValue = ["", "data:"].contains(label.trimmingCharacters(in: .whitespaces))
      text += isValue ? label + (String(line[start...]).redactingSecretJSON(redaction) ?? String(line[start...])) : line
      rest = rest.dropFirst(line.utf8.count)
      if let end = rest.popFirst() { text.unicodeScalars.append(UnicodeScalar(end)) }
    }
    return text
  }

  /// Returns the text with `<redacted>` for the secret members of its JSON; `nil` if it is no JSON.
  package func redactingSecretJSON(_ redaction: SecretRedaction = SecretRedaction()) -> String? {
    guard let json = try? JSON(data: Data(utf8)) else { return nil }
    let redacted = redaction.value(json)
    // Keeps the original formatting if nothing is secret.
    return redacted == json ? self : redacted.description
  }
}

/// A replacement of the secret members in JSON.
package struct SecretRedaction: Sendable {
  private let placeholder: String
  private let keepsTypes: Bool

  /// - Parameters:
  ///   - placeholder: the text in place of a secret.
  ///   - keepsTypes: whether the result is decoded like the original: Booleans, `null`, numbers that are counts, and
  ///     codes of errors are kept, other numbers become 0.
  package init(placeholder: String = "<redacted>", keepingTypes keepsTypes: Bool = false) {
    self.placeholder = placeholder
    self.keepsTypes = keepsTypes
  }

  /// Returns a value without secrets: also without those in URLs, and without what is more than 64 levels deep.
  package func value(_ json: JSON) -> JSON { value(json, depth: 64) }

  private func value(_ json: JSON, depth: Int) -> JSON {
    if depth == 0 { return .string(placeholder) }
    switch json {
    case .object(let members):
      let shown = members.map { name, member in
        (name, name.namesSecretParameter ? secret(member, name, depth - 1) : value(member, depth: depth - 1))
      }
      return .object(Dictionary(shown) { first, _ in first })
    case .array(let elements): return .array(elements.map { value($0, depth: depth - 1) })
    case .string(let text):
      return text.contains("://") ? .string(text.redactingSecretParameters(with: placeholder)) : json
    default: return json
    }
  }

  private func secret(_ json: JSON, _ name: String, _ depth: Int) -> JSON {
    if depth == 0 || !keepsTypes { return .string(placeholder) }
    let name = name.lowercased()
    switch json {
    // The code of an envelope.
    case .integer where name == "code", .unsigned where name == "code", .number where name == "code": return json
    case .string(let text) where name == "code" && text.isLikeNameOfError: return json
    case .null, .bool: return json
    case .integer, .unsigned, .number: return name.hasSuffix("tokens") ? json : .integer(0)
    case .string: return .string(placeholder)
    case .array(let elements): return .array(elements.map { secret($0, name, depth - 1) })
    case .object(let members): return .object(members.mapValues { secret($0, name, depth - 1) })
    }
  }
}

extension String {
  /// Whether it may be the code of an error, such as `E1001` or `not_found`, rather than a random text.
  fileprivate var isLikeNameOfError: Bool { count <= 24 && (self == lowercased() || self == uppercased()) }
}
