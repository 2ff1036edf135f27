import Signals

/// A fast search for secrets in JSON text: most bodies are shown without being parsed; in doubt, such as at an escape,
/// an exponent or more than 16 levels, it fails and the text is parsed: see ``SecretRedaction``.
struct PlainJSON {
  private static let depthLimit = 16

  private let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0
  /// The positions of the values with secret names.
  private var secrets: [Range<Int>] = []
  /// Whether the value being skipped has a secret name; nothing in it is checked.
  private var isInSecret = false

  private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// Returns whether a text is JSON without anything that could be secret.
  static func isPlain(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { secrets(in: $0)?.isEmpty == true }
  }

  /// Returns a JSON text with `"<redacted>"` in the place of each value that has a secret name; `nil` in doubt.
  static func redacted(_ text: String) -> String? {
    let placeholder = "\"\(SecretRedaction().placeholder)\"".utf8
    var copy = text
    return copy.withUTF8 { bytes in
      secrets(in: bytes).map { secrets in
        if secrets.isEmpty { return text }
        var (result, end) = ([UInt8](), 0)
        result.reserveCapacity(bytes.count + secrets.count * placeholder.count)
        for secret in secrets {
          result += bytes[end..<secret.lowerBound]
          result += placeholder
          end = secret.upperBound
        }
        result += bytes[end...]
        return String(decoding: result, as: UTF8.self)
      }
    }
  }

  private static func secrets(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>]? {
    var scan = PlainJSON(bytes)
    guard scan.skipValue(depth: 0), scan.peek() == nil, scan.index == bytes.count else { return nil }
    return scan.secrets
  }

  /// Returns whether a member with this name labels a sibling member `value`.
  static func isLabel(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { isLabel($0[...]) }
  }

  private static func isLabel(_ name: FieldBytes) -> Bool {
    switch name.count {
    case 2: name.isEqualIgnoringCase(to: "id")
    case 3: name.isEqualIgnoringCase(to: "key")
    case 4: name.isEqualIgnoringCase(to: "name")
    case 5: name.isEqualIgnoringCase(to: "field")
    case 6: name.isEqualIgnoringCase(to: "header")
    default: false
    }
  }

  /// Skips spaces and returns the next byte without consuming it.
  private mutating func peek() -> UInt8? {
    while index < bytes.count {
      switch bytes[index] {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      case let byte: return byte
      }
    }
    return nil
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    index += 1
    return true
  }

  private mutating func skipValue(depth: Int) -> Bool {
    switch peek() {
    case UInt8(ascii: "{"): depth < PlainJSON.depthLimit && skipObject(depth + 1)
    case UInt8(ascii: "["): depth < PlainJSON.depthLimit && skipArray(depth + 1)
    case UInt8(ascii: "\""): takeString().map { isInSecret || PlainJSON.isPlain($0) } ?? false
    case UInt8(ascii: "t"): skip(word: "true")
    case UInt8(ascii: "f"): skip(word: "false")
    case UInt8(ascii: "n"): skip(word: "null")
    default: skipNumber()
    }
  }

  private mutating func skipObject(_ depth: Int) -> Bool {
    index += 1
    if skip(UInt8(ascii: "}")) { return true }
    repeat {
      guard peek() == UInt8(ascii: "\""), let name = takeString(), skip(UInt8(ascii: ":")),
        skipMember(named: name, depth)
      else { return false }
    } while skip(UInt8(ascii: ","))
    return skip(UInt8(ascii: "}"))
  }

  /// Skips the value of a member, and records it if the name is that of a secret.
  private mutating func skipMember(named name: FieldBytes, _ depth: Int) -> Bool {
    if isInSecret { return skipValue(depth: depth) }
    let start = (peek(), index)
    isInSecret = UnsafeBufferPointer(rebasing: name).namesSecretParameter
    guard skipValue(depth: depth) else { return false }
    // A label may be the name of a secret, and have one as its value.
    if start.0 == UInt8(ascii: "\""), PlainJSON.isLabel(name), isSecretName(from: start.1) { return false }
    if isInSecret { secrets.append(start.1..<index) }
    isInSecret = false
    return true
  }

  private mutating func skipArray(_ depth: Int) -> Bool {
    index += 1
    if skip(UInt8(ascii: "]")) { return true }
    let start = (peek(), index)
    var count = 0
    repeat {
      guard skipValue(depth: depth) else { return false }
      count += 1
      // The array may be a pair of a name and its value.
      if !isInSecret, count == 1, start.0 == UInt8(ascii: "\""), isSecretName(from: start.1) { return false }
    } while skip(UInt8(ascii: ","))
    return skip(UInt8(ascii: "]"))
  }

  /// Returns whether the string between a position and the current one is the name of a secret.
  private func isSecretName(from start: Int) -> Bool {
    UnsafeBufferPointer(rebasing: bytes[(start + 1)..<(index - 1)]).namesSecretParameter
  }

  /// Skips a string and returns its bytes; `nil` if it has an escape or a control character, or no end.
  private mutating func takeString() -> FieldBytes? {
    index += 1
    let start = index
    while index < bytes.count {
      let byte = bytes[index]
      if byte < 0x20 || byte == UInt8(ascii: "\\") { return nil }
      index += 1
      if byte == UInt8(ascii: "\"") { return bytes[start..<(index - 1)] }
    }
    return nil
  }

  /// Returns whether a text has nothing in it that could be a secret: no pair, no user, no structure, no escape, no token.
  private static func isPlain(_ text: FieldBytes) -> Bool {
    var rest = text
    for scheme in ["https://", "http://"] where rest.starts(with: scheme.utf8) {
      rest = rest.dropFirst(scheme.utf8.count)
      if rest.contains(UInt8(ascii: "@")) { return false }
      break
    }
    if rest.allSatisfy(\.mayBelongToTime) { return true }
    // The beginning of an `Authorization` value.
    if rest.prefix(7).isEqualIgnoringCase(to: "bearer ") || rest.prefix(6).isEqualIgnoringCase(to: "basic ") {
      return false
    }
    var (dotCount, former, mayHaveUser) = (0, UInt8(0), false)
    for byte in rest {
      switch byte {
      case UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "%"), UInt8(ascii: "{"), UInt8(ascii: "["): return false
      case UInt8(ascii: "."): dotCount += 1
      case UInt8(ascii: "/") where former == byte: mayHaveUser = true
      case UInt8(ascii: "@") where mayHaveUser: return false
      default: break
      }
      former = byte
    }
    return dotCount < 2 || UnsafeBufferPointer(rebasing: rest).webToken(from: 0) == nil
  }

  private mutating func skip(word: StaticString) -> Bool {
    let end = index + word.utf8CodeUnitCount
    guard end <= bytes.count else { return false }
    for offset in 0..<word.utf8CodeUnitCount where bytes[index + offset] != word.utf8Start[offset] { return false }
    index = end
    return true
  }

  /// Skips a number without an exponent, of at most 15 digits.
  private mutating func skipNumber() -> Bool {
    _ = skip(UInt8(ascii: "-"))
    let start = index
    while index < bytes.count, (0x30...0x39).contains(bytes[index]) { index += 1 }
    let count = index - start
    if count == 0 || (count > 1 && bytes[start] == 0x30) { return false }
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
      index += 1
      let fraction = index
      while index < bytes.count, (0x30...0x39).contains(bytes[index]) { index += 1 }
      if index == fraction { return false }
    }
    return index - start <= 16
  }
}

extension UInt8 {
  /// Whether the byte occurs in a time or date of RFC 3339.
  fileprivate var mayBelongToTime: Bool {
    switch self {
    case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "T"),
      UInt8(ascii: "Z"):
      true
    default: false
    }
  }
}
