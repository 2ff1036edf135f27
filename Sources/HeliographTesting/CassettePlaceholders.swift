import Foundation
import Heliograph

/// The placeholders of the secrets in recorded responses.
///
/// Equal secrets have equal placeholders and different secrets have different ones, so that the requests of a replay,
/// which are made from placeholders, are equal and different like those of the recording. A placeholder has the number
/// of the exchange with which its secret was first received, and nothing of the secret. The placeholder of a number is a
/// number, and that of a UUID a UUID.
struct CassettePlaceholders: Sendable {
  /// The placeholders by the digests of their secrets, which are never stored.
  private var known: [[UInt8]: String] = [:]
  /// The number of secrets that were new in the current exchange.
  private var newCount = 0
  /// The numbers in place of secret numbers, by the digests of those.
  private var knownNumbers: [[UInt8]: Int64] = [:]
  /// The number of the current exchange.
  private var exchange = 0
  /// The placeholder of the current exchange, with which its texts are redacted first.
  private(set) var common = ""

  /// Starts an exchange with a unique number.
  mutating func startExchange(_ number: Int) {
    exchange = number
    common = "redacted-\(number)"
    newCount = 0
  }

  /// Returns a stored body in which each common placeholder is replaced by that of the secret in the original body.
  mutating func body(_ redacted: String, of data: Data) -> String {
    // JSON may also be UTF-16.
    guard let original = String(validating: data, as: UTF8.self) ?? (try? JSON(data: data))?.description else {
      return redacted
    }
    return text(redacted, of: original)
  }

  /// Returns redacted text in which each common placeholder is replaced by that of the secret in the original text;
  /// where the texts differ in more than their secrets, the common placeholder remains.
  mutating func text(_ redacted: String, of original: String) -> String {
    guard redacted != original else { return redacted }
    let lines = [redacted, original].map { $0.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) }
    if lines[0].count != lines[1].count { return line(redacted[...], of: original[...]) }
    var result: [String] = []
    for (redacted, original) in zip(lines[0], lines[1]) {
      result.append(line(Substring(redacted), of: Substring(original)))
    }
    return result.joined(separator: "\n")
  }

  /// Returns JSON, which may follow a name as in an event, or other text.
  private mutating func line(_ redacted: Substring, of original: Substring) -> String {
    guard redacted != original else { return String(redacted) }
    if let shown = redacted.json, let json = original.json {
      return (aligned(shown.name, with: json.name) ?? shown.name) + value(shown.value, of: json.value).description
        + shown.end
    }
    return aligned(String(redacted), with: String(original)) ?? String(redacted)
  }

  private mutating func value(_ redacted: JSON, of original: JSON) -> JSON {
    switch (redacted, original) {
    case (.object(var members), .object(let originals)):
      for (name, member) in members.sorted(by: { $0.key < $1.key }) {
        members[name] = originals[name].map { value(member, of: $0) } ?? member
      }
      return .object(members)
    case (.array(var elements), .array(let originals)) where elements.count == originals.count:
      for index in elements.indices { elements[index] = value(elements[index], of: originals[index]) }
      return .array(elements)
    case (.string(SecretRedaction.uuid), .string(let secret)):
      return redacted == original ? redacted : .string(uuid(of: secret))
    case (.string(let shown), _):
      let secret = original.string ?? original.description
      return .string(shown == common ? placeholder(of: secret) : text(shown, of: secret))
    case (.integer, .integer), (.integer, .unsigned), (.integer, .number):
      return redacted == original ? redacted : .integer(number(of: original.description))
    default: return redacted
    }
  }

  /// Returns text with the placeholders of its secrets; `nil` if it is not the original with other secrets.
  private mutating func aligned(_ redacted: String, with original: String) -> String? {
    let pieces = redacted.components(separatedBy: common)
    guard let first = pieces.first, let last = pieces.last, pieces.count > 1 else { return redacted }
    var rest = Array(original.utf8)[...]
    guard rest.starts(with: first.utf8) else { return nil }
    rest = rest.dropFirst(first.utf8.count)
    var secrets: [ArraySlice<UInt8>] = []
    for piece in pieces.dropFirst().dropLast() {
      guard let range = rest.firstRange(of: Array(piece.utf8)) else { return nil }
      secrets.append(rest[..<range.lowerBound])
      rest = rest[range.upperBound...]
    }
    guard rest.suffix(last.utf8.count).elementsEqual(last.utf8) else { return nil }
    secrets.append(rest.dropLast(last.utf8.count))
    var result = first
    for (secret, piece) in zip(secrets, pieces.dropFirst()) {
      // A link has the secret with escapes.
      let text = String(decoding: secret, as: UTF8.self)
      result += placeholder(of: text.removingPercentEncoding ?? text) + piece
    }
    return result
  }

  private mutating func placeholder(of secret: String) -> String {
    // In a field or a link, too, it is the one of JSON.
    if UUID(uuidString: secret) != nil { return uuid(of: secret) }
    let digest = SHA256.hash(Data(secret.utf8))
    if let placeholder = known[digest] { return placeholder }
    newCount += 1
    let placeholder = newCount == 1 ? common : "\(common)-\(newCount)"
    known[digest] = placeholder
    return placeholder
  }

  /// Returns the number in place of a secret one, unique in a file with less than 1,000 of them.
  private mutating func number(of secret: String) -> Int64 {
    let digest = SHA256.hash(Data(secret.utf8))
    if let number = knownNumbers[digest] { return number }
    let number = Int64(1_000 * exchange + knownNumbers.count)
    knownNumbers[digest] = number
    return number
  }

  private mutating func uuid(of secret: String) -> String {
    let digits = String(number(of: secret.lowercased()))
    return "00000000-9999-4000-8000-" + (String(repeating: "0", count: 12) + digits).suffix(12)
  }
}

extension String {
  /// The text with the placeholder of requests in place of those of recorded responses, which a replayed response has
  /// passed on, such as in the `Location` field of a redirect.
  var withCommonPlaceholder: String {
    guard contains("redacted-") || contains("00000000-9999-4000-") else { return self }
    let placeholder = /redacted-[0-9]+(-[0-9]+)?|00000000-9999-4000-8000-[0-9]{12}/
    return replacing(placeholder, with: SecretRedaction().placeholder)
  }
}

extension HTTPRequest {
  /// Whether the URL, a header field or a body in memory contains a placeholder of a recorded response.
  var hasPlaceholder: Bool {
    var texts = headers.map(\.value) + [url.absoluteString]
    // RFC 7617 §2: the credentials of `Basic` are encoded.
    let field = headers["Authorization"] ?? ""
    let credentials = field.dropFirst(6).drop { $0 == " " }
    if field.lowercased().hasPrefix("basic "), let data = Data(base64Encoded: String(credentials)) {
      texts.append(String(decoding: data, as: UTF8.self))
    }
    if case .data(let data) = body { texts.append(String(decoding: data, as: UTF8.self)) }
    return texts.contains { $0.withCommonPlaceholder != $0 }
  }
}

extension Substring {
  /// The object or array in the text, the text before it and the spaces after it; `nil` if there is none.
  fileprivate var json: (name: String, value: JSON, end: String)? {
    guard let start = utf8.firstIndex(where: { "{[".utf8.contains($0) }),
      let value = try? JSON(data: Data(self[start...].utf8))
    else { return nil }
    let isSpace = { (byte: UInt8) in byte <= 0x20 }
    let end = utf8.lastIndex { !isSpace($0) }.map { utf8.index(after: $0) } ?? endIndex
    return (String(self[..<start]), value, String(self[end...]))
  }
}
