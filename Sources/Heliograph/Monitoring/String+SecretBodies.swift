package import Foundation

extension String {
  /// Returns the text of a body with `<redacted>` for the values of secret names and for JSON Web Tokens: forms, and
  /// JSON of any content type, also as lines and events; `nil` for any other text, for JSON that is a lone string or
  /// number, and for malformed JSON.
  package func redactedBody(of contentType: String?) -> String? {
    let isForm = (contentType ?? "").isFormMediaType && !beginsLikeJSON
    let redaction = SecretRedaction()
    if isForm { return redactingSecretPairs(separatedBy: "&;").redactingWebTokens(with: redaction.placeholder) }
    if beginsLikeLoneValue { return nil }
    return PlainJSON.redacted(self) ?? redaction.redactedJSON(Data(utf8), self)
      ?? redaction.redactedLines(self)
  }

  /// Returns the text of a body as ``redactedBody(of:)`` does, or its size if it cannot be redacted.
  package func redactingSecrets(of contentType: String?) -> String {
    redactedBody(of: contentType) ?? "<\(utf8.count) bytes>"
  }
}

extension StringProtocol {
  /// Whether the first character that is no space begins an object or array.
  var beginsLikeJSON: Bool { utf8.first { $0 > 0x20 }.map { "{[".utf8.contains($0) } ?? false }

  /// Whether the text begins like a JSON string or number, which may be a token; no line of JSON or of events does.
  fileprivate var beginsLikeLoneValue: Bool {
    let first = utf8.first { $0 > 0x20 && !"\u{FEFF}".utf8.contains($0) }
    return first.map { "\"-0123456789".utf8.contains($0) } ?? false
  }
}

/// A redactor of secrets in JSON and in text.
package struct SecretRedaction: Sendable {
  package let placeholder: String
  private let keepsTypes: Bool
  private let keepsCodes: Bool

  /// The names, in lower case, that are not those of secrets while a cassette with them is redacted.
  ///
  /// A name is looked up in many places, also in values in values: as an argument, this would be one of each function.
  @TaskLocal package static var keptNames: Set<String> = []

  /// The text in place of each UUID if the redaction keeps types.
  package static let uuid = "00000000-9999-4000-8000-000000000000"

  /// The maximum depth of JSON that is searched; deeper values are replaced.
  private static let depthLimit = 64

  /// Creates a redactor, which replaces each secret with a placeholder.
  ///
  /// With `keepsTypes` the result is decodable like the original: Booleans, `null`, counts, error codes and numbers
  /// from 0 to 9 outside a list of digits are unchanged, other numbers become 0, and a 0 becomes 1; a UUID becomes
  /// ``uuid``, and a date with a time (ISO 8601) is unchanged. With `keepsCodes`
  /// every member `code` is an error code, as in a response that reports an error.
  package init(
    placeholder: String = "<redacted>", keepingTypes keepsTypes: Bool = false, keepingCodes keepsCodes: Bool = false
  ) {
    self.placeholder = placeholder
    self.keepsTypes = keepsTypes
    self.keepsCodes = keepsCodes
  }

  /// Returns JSON text without secrets; `nil` if it is not JSON.
  package func redactedJSON(_ text: String) -> String? {
    PlainJSON.isPlain(text) ? text : redactedJSON(Data(text.utf8), text)
  }

  /// Returns JSON data without secrets as text: `text`, the same JSON, if it has none; `nil` if it is not JSON.
  package func redactedJSON(_ data: Data, _ text: String?, depth: Int = SecretRedaction.depthLimit) -> String? {
    guard let (json, hasRepeatedNames) = try? JSON.parseNames(data) else { return nil }
    let redacted = value(json, depth: depth)
    // Parsing drops all but one of several members with the same name; the original text has them, and they may be secret.
    if !hasRepeatedNames, let text, redacted.hasSameBytes(as: json) { return text }
    return redacted.description
  }

  /// Returns lines of JSON, or the events of a stream with JSON, without secrets; `nil` if the text is anything else.
  package func redactedLines(_ text: String) -> String? {
    guard text.utf8.contains(where: { "{[".utf8.contains($0) }) else { return nil }
    var result = ""
    var event: [String] = []
    var rest = text[...].utf8
    while !rest.isEmpty {
      let line = String(Substring(rest.prefix { $0 != 0x0A && $0 != 0x0D }))
      rest = rest.dropFirst(line.utf8.count)
      let end = Substring(rest.prefix(rest.starts(with: "\r\n".utf8) ? 2 : 1))
      rest = rest.dropFirst(end.utf8.count)
      if let data = line.fieldValue(of: "data") {
        event.append(data)
        // The data lines of one event form one text.
        if rest.starts(with: "data:".utf8) { continue }
        guard let shown = redactedStructure(event.joined(separator: "\n")) else { return nil }
        result += shown.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
          .map { "data: \(Substring($0))" }.joined(separator: end.isEmpty ? "\n" : String(end))
        event = []
      } else if line.utf8.first == UInt8(ascii: ":") {
        // A comment, which has no meaning for programs.
        result += ":"
      } else if line.unicodeScalars.allSatisfy(\.properties.isWhitespace) {
        result += line
      } else if let value = ["event", "id", "retry"].lazy.compactMap(line.fieldValue).first {
        result += Substring(line.utf8.dropLast(value.utf8.count)) + self.text(value)
      } else {
        guard let shown = redactedStructure(line) else { return nil }
        result += shown
      }
      result += end
    }
    return result
  }

  /// Returns an object or array without secrets; a lone text or number has no name by which to recognize a secret.
  private func redactedStructure(_ text: String) -> String? {
    text.beginsLikeJSON ? redactedJSON(text) : nil
  }

  /// Returns the maximum depth of values in values: each level may search the text twice, so a long text has less.
  func depth(of text: String) -> Int { text.utf8.count > 8_192 ? 3 : 8 }

  /// Returns text of unknown content without secrets, such as a header field with JSON, URLs or pairs; values in values
  /// deeper than `depth`, or than 3 in a text of more than 8 KiB, are replaced.
  package func text(_ text: String, depth: Int = 8) -> String {
    let depth = min(depth, self.depth(of: text))
    // Without these the text has no values in values, and nothing below searches it again.
    if depth == 0, text.utf8.contains(where: { $0.mayBeginValue && $0 != UInt8(ascii: "@") }) { return placeholder }
    if text.beginsLikeJSON, let json = redactedJSON(Data(text.utf8), text, depth: 8 * depth) { return json }
    if text.hasSecretLiteral { return placeholder }
    let url = text.redactingParameters(with: placeholder, depth: depth)
    if !text.utf8.contains(UInt8(ascii: "%")) || !url.hasSameBytes(as: text) { return url }
    guard let plain = text.removingPercentEncoding, !plain.hasSameBytes(as: text) else { return text }
    return self.text(plain, depth: depth - 1).hasSameBytes(as: plain) ? text : placeholder
  }

  /// Returns a value without secrets, also in its strings; values that are nested deeper are replaced.
  private func value(_ json: JSON, depth: Int, isError: Bool = false) -> JSON {
    if depth <= 0 { return .string(placeholder) }
    switch json {
    case .object(let members):
      let isError = keepsTypes && (isError || keepsCodes || members.keys.contains(where: Self.isEnvelopeMember))
      let isPair = members.contains {
        PlainJSON.isLabel($0.key) && $0.value.string?.namesSecretParameter == true
      }
      return .object(
        Dictionary(
          members.map { name, member in
            if name.namesSecretParameter || (isPair && ["value", "values"].contains(name.loweredASCII)) {
              return (name, secret(member, name, isError, depth - 1))
            }
            return (name, value(member, depth: depth - 1, isError: keepsTypes && name.loweredASCII.hasPrefix("error")))
          }
        ) { first, _ in first })
    case .array(let elements):
      // A pair of a name and its value.
      if elements.count == 2, let name = elements[0].string, name.namesSecretParameter {
        return .array([value(elements[0], depth: depth - 1), secret(elements[1], name, false, depth - 1)])
      }
      return .array(elements.map { value($0, depth: depth - 1, isError: isError) })
    case .string(let text): return .string(self.text(text, depth: min(8, depth / 8)))
    default: return json
    }
  }

  private func secret(_ json: JSON, _ name: String, _ isError: Bool, _ depth: Int) -> JSON {
    if depth <= 0 || !keepsTypes { return .string(placeholder) }
    let name = name.lowercased()
    let isCode = isError && name == "code"
    switch json {
    // The code of an envelope.
    case .integer where isCode, .unsigned where isCode, .number where isCode: return json
    case .string(let text) where isCode && text.mayBeErrorCode(allowsNumbers: keepsCodes): return json
    case .null, .bool: return json
    // A flag or a case of an enumeration; in an array, it may be a digit of the secret.
    case .integer(0...9) where !name.isEmpty: return json
    // The replacement differs from the number, so that a zero among the digits is also found in the result.
    case .integer, .unsigned, .number: return name.hasSuffix("tokens") ? json : .integer(json == .integer(0) ? 1 : 0)
    case .string(let text) where text.isTime: return json
    case .string(let text): return .string(UUID(uuidString: text) == nil ? placeholder : SecretRedaction.uuid)
    // Numbers in an array are no counts.
    case .array(let elements): return .array(elements.map { secret($0, "", false, depth - 1) })
    case .object(let members):
      // Nothing but digits, such as `{"first":4,"second":2}`, may be the digits of the secret.
      let areDigits = members.count > 1 && !name.hasSuffix("tokens") && members.values.allSatisfy(\.isDigit)
      return .object(members.mapValues { secret($0, areDigits ? "" : name, false, depth - 1) })
    }
  }

  /// Returns whether a member with this name shows that `code` beside it is the code of an envelope or an error.
  private static func isEnvelopeMember(_ name: String) -> Bool {
    ["data", "detail", "error", "errors", "message", "msg", "result"].contains(name.lowercased())
  }
}

extension JSON {
  fileprivate var isDigit: Bool { if case .integer(0...9) = self { true } else { false } }

  /// Returns whether both are equal and all strings have the same bytes, in linear time also for texts that are not
  /// ASCII.
  fileprivate func hasSameBytes(as other: JSON) -> Bool {
    switch (self, other) {
    case (.string(let text), .string(let other)): text.hasSameBytes(as: other)
    case (.array(let elements), .array(let others)): elements.elementsEqual(others) { $0.hasSameBytes(as: $1) }
    case (.object(let members), .object(let others)):
      members.allSatisfy { name, member in others[name].map(member.hasSameBytes) ?? false }
    default: self == other
    }
  }
}

extension String {
  /// The value of a field of an event stream; `nil` if the line is a different field.
  fileprivate func fieldValue(of name: String) -> String? {
    // Bytes, because comparing characters with thousands of combining marks takes quadratic time.
    guard utf8.starts(with: "\(name):".utf8) else { return nil }
    let value = utf8.dropFirst(name.utf8.count + 1)
    return String(Substring(value.first == UInt8(ascii: " ") ? value.dropFirst() : value))
  }

  /// Whether the text is an `Authorization` value, or has a literal after the name of a secret, as in GraphQL.
  fileprivate var hasSecretLiteral: Bool {
    let start = Substring(utf8.prefix(7)).lowercased()
    if start.hasPrefix("bearer ") || start.hasPrefix("basic ") {
      // A challenge has the same schemes, and parameters such as `realm="shop"` (RFC 9110 §11.3).
      let name = utf8.drop { $0 != UInt8(ascii: " ") }.drop { $0 == UInt8(ascii: " ") }
        .prefix { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
      if !utf8[name.endIndex...].starts(with: "=\"".utf8) { return true }
    }
    var rest = utf8[...]
    while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
      let isNoName = { (byte: UInt8) in " \t\"'\\".utf8.contains(byte) }
      let end = rest[..<colon].lastIndex { !isNoName($0) }.map { rest.index(after: $0) } ?? rest.startIndex
      let isStart = { (byte: UInt8) in !byte.isUnreserved && !"[]".utf8.contains(byte) }
      let start = rest[..<end].lastIndex(where: isStart).map { rest.index(after: $0) } ?? rest.startIndex
      let next = rest[rest.index(after: colon)...].first { !" \t\\".utf8.contains($0) }
      let name = String(Substring(rest[start..<end]))
      switch next {
      case nil: return false
      case let next? where (0x30...0x39).contains(next) || "\"'".utf8.contains(next):
        if name.namesSecretParameter { return true }
      // A word after a long name, as in YAML; types and variables of GraphQL begin differently.
      case let next? where (0x61...0x7A).contains(next):
        if Data(name.utf8).mentionsSecret { return true }
      default: break
      }
      if HTTPHeaders.isSecret(name) { return true }
      rest = rest[rest.index(after: colon)...]
    }
    return false
  }

  /// Whether the text is a date with a time (ISO 8601); a date alone may be a password.
  fileprivate var isTime: Bool {
    let time = /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:?[0-9]{2})/
    return utf8.count <= 35 && wholeMatch(of: time) != nil
  }

  /// Returns whether the text may be an error code, such as `E1001` or `not_found`, rather than a random text; a number
  /// of four, six or more digits, like a one-time code, is accepted only if `allowsNumbers`.
  fileprivate func mayBeErrorCode(allowsNumbers: Bool) -> Bool {
    guard count <= 24, self == lowercased() || self == uppercased() else { return false }
    if allSatisfy(\.isNumber) { return allowsNumbers || [1, 2, 3, 5].contains(count) || Int(self) == 0 }
    let digits = reversed().prefix(while: \.isNumber)
    return digits.count <= 5 && dropLast(digits.count).allSatisfy { $0.isLetter || "_-. ".contains($0) }
  }
}
