/// A slice of a header field's value.
typealias FieldBytes = Slice<UnsafeBufferPointer<UInt8>>

/// Lists in header fields: RFC 9110 §5.6.1.
enum FieldList {
  /// Calls a closure with each member of a list, without surrounding whitespace; empty members are ignored.
  ///
  /// A separator in a quoted string does not separate, unless the closing quotation mark is missing.
  static func forEach(_ bytes: FieldBytes, separator: Unicode.Scalar = ",", _ visit: (FieldBytes) -> Void) {
    let separator = UInt8(ascii: separator)
    var (start, position) = (bytes.startIndex, bytes.startIndex)
    var canQuote = true
    while position < bytes.endIndex {
      if bytes[position] == separator {
        let member = bytes[start..<position].trimmed
        if !member.isEmpty { visit(member) }
        start = position + 1
      } else if canQuote, bytes[position] == UInt8(ascii: "\"") {
        if let end = bytes[position...].endOfQuotedString { position = end - 1 } else { canQuote = false }
      }
      position += 1
    }
    let member = bytes[start...].trimmed
    if !member.isEmpty { visit(member) }
  }

  /// Calls a closure with each member of the comma-separated list in a text.
  static func forEach(in text: String, _ visit: (FieldBytes) -> Void) {
    var text = text
    text.withUTF8 { forEach($0[...], visit) }
  }

  /// Calls a closure with each member of the comma-separated lists of a field, which may have several lines.
  static func forEach(in headers: HTTPHeaders, _ name: String, _ visit: (FieldBytes) -> Void) {
    for field in headers where field.name.isEqualIgnoringCase(to: name) { forEach(in: field.value, visit) }
  }
}

extension HTTPHeaders {
  /// Returns the value of the first line of a field, without surrounding whitespace.
  func firstValue(for name: String) -> String? {
    first { $0.name.isEqualIgnoringCase(to: name) }?.value.trimmedField
  }

  func contains(_ name: String) -> Bool { contains { $0.name.isEqualIgnoringCase(to: name) } }

  /// Whether the body has a content coding (RFC 9110 §8.4).
  package var hasContentCoding: Bool { !contentCodings.isEmpty }

  /// The names of the body's content codings, in lower case and in the order in which they were applied.
  var contentCodings: [String] {
    filter { $0.name.isEqualIgnoringCase(to: "Content-Encoding") }.flatMap { Self.contentCodings(in: $0.value) }
  }

  /// Returns the names of the content codings in a field, in lower case.
  ///
  /// Only registered names are codings (RFC 9110 §16.6.1): not `identity`, and none of the texts that object stores send
  /// for bodies without a coding, such as `utf-8` and `aws-chunked`.
  static func contentCodings(in field: String) -> [String] {
    field.utf8.split(separator: UInt8(ascii: ",")).compactMap { part in
      let name = String(Substring(part)).trimmedField.loweredASCII
      return name.isASCII && registeredCodings.contains(name) ? name : nil
    }
  }

  private static let registeredCodings: Set<String> = [
    "aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "pack200-gzip", "x-compress", "x-gzip",
    "zstd",
  ]
}

extension String {
  /// Whether all characters are ASCII; any other text of a server can take quadratic time to compare.
  var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }

  /// Returns whether the bytes are equal, in linear time also for texts that are not ASCII.
  func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }

  /// Whether no header field may have the value, because it has a control character.
  ///
  /// A response may have such a field; sent back, it would fail each request.
  var hasControlCharacter: Bool { utf8.contains(where: \.isControl) }

  /// The text without spaces and tabs at its ends.
  var trimmedField: String {
    guard let first = utf8.first, let last = utf8.last, first.isSpaceOrTab || last.isSpaceOrTab else { return self }
    var copy = self
    return copy.withUTF8 { String(decoding: $0.trimmed, as: UTF8.self) }
  }
}

extension Hasher {
  /// Hashes all bytes of a body or of a text in UTF-8, in linear time: `Data` hashes its first 80 only, and `String`
  /// takes quadratic time for some texts.
  mutating func combine(bytesOf bytes: some Collection<UInt8>) {
    let isDone: Void? = bytes.withContiguousStorageIfAvailable { combine(bytes: UnsafeRawBufferPointer($0)) }
    if isDone == nil { Array(bytes).withUnsafeBytes { combine(bytes: $0) } }
    combine(bytes.count)
  }
}

extension UInt8 {
  var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
  var isLetter: Bool { self | 0x20 >= UInt8(ascii: "a") && self | 0x20 <= UInt8(ascii: "z") }
  /// Whether the byte is a space or a tab (RFC 9110 §5.6.3).
  var isSpaceOrTab: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
  /// Whether the byte may occur in a token (RFC 9110 §5.6.2).
  var isTokenByte: Bool { isDigit || isLetter || "!#$%&'*+-.^_`|~".utf8.contains(self) }
  /// Whether a header field must not contain the byte (RFC 9110 §5.5).
  var isControl: Bool { (self < 0x20 && self != 0x09) || self == 0x7F }
}

extension UnsafeBufferPointer<UInt8> {
  var trimmed: FieldBytes { self[...].trimmed }
}

extension FieldBytes {
  /// The bytes without spaces and tabs at their ends.
  var trimmed: FieldBytes {
    var (start, end) = (startIndex, endIndex)
    while start < end, base[start].isSpaceOrTab { start += 1 }
    while start < end, base[end - 1].isSpaceOrTab { end -= 1 }
    return base[start..<end]
  }

  var digitCount: Int { prefix(while: \.isDigit).count }

  var lowered: String { String(decoding: self, as: UTF8.self).loweredASCII }

  /// The text of a token in lower case (RFC 9110 §5.6.2); `nil` for other bytes.
  ///
  /// Names become keys, and hashing a text of a server that is not ASCII can take quadratic time.
  var loweredToken: String? { isEmpty || !allSatisfy(\.isTokenByte) ? nil : lowered }

  /// The index after the closing quotation mark of the quoted string at the beginning (RFC 9110 §5.6.4), if there is one.
  var endOfQuotedString: Int? {
    guard first == UInt8(ascii: "\"") else { return nil }
    var position = startIndex + 1
    while position < endIndex {
      if base[position] == UInt8(ascii: "\"") { return position + 1 }
      position += base[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }

  /// The content of a quoted string, without the backslashes of its escapes (RFC 9110 §5.6.4).
  var unescaped: String {
    guard contains(UInt8(ascii: "\\")) else { return String(decoding: self, as: UTF8.self) }
    var isEscaped = false
    let bytes = filter { byte in
      isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
      return !isEscaped
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the name in lower case and the unescaped value of a parameter (RFC 9110 §5.6.6); `nil` if it is malformed.
  func parameter(canBeUnterminated: Bool = false) -> (name: String, value: String)? {
    guard let sign = firstIndex(of: UInt8(ascii: "=")), let name = self[..<sign].trimmed.loweredToken else {
      return nil
    }
    let value = self[(sign + 1)...].trimmed
    guard value.first == UInt8(ascii: "\"") else { return (name, String(decoding: value, as: UTF8.self)) }
    guard let end = value.endOfQuotedString ?? (canBeUnterminated ? value.endIndex + 1 : nil) else { return nil }
    return (name, value[..<(end - 1)].dropFirst().unescaped)
  }

  /// Returns whether the bytes equal a lowercase text, ignoring their own case.
  func isEqualIgnoringCase(to text: StaticString) -> Bool {
    isPrefix(of: text, count: text.utf8CodeUnitCount)
  }

  /// Returns whether the bytes are a prefix of a lowercase text and have a given length, ignoring their own case.
  func isPrefix(of text: StaticString, count length: Int) -> Bool {
    guard count == length, length <= text.utf8CodeUnitCount else { return false }
    for offset in 0..<length where base[startIndex + offset].loweredASCII != text.utf8Start[offset] { return false }
    return true
  }

  /// Parses delta-seconds, clamped to `Int32.max`; `nil` if empty or not all digits.
  ///
  /// RFC 9111 §1.2.2.
  func seconds() -> Int? {
    guard !isEmpty else { return nil }
    var value: Int64 = 0
    for byte in self {
      guard byte.isDigit else { return nil }
      value = Swift.min(value * 10 + Int64(byte - UInt8(ascii: "0")), Int64(Int32.max))
    }
    return Int(clamping: value)
  }
}
