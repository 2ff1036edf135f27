extension JSONParser {
  /// Parses a string with its quotes (RFC 8259 §7).
  mutating func readString() throws(JSONFault) -> String {
    index += 1
    let start = index
    try skipPlain()
    if isLookingForNulls { return try skipString() }
    if bytes[index] == UInt8(ascii: "\"") {
      index += 1
      return try text(UnsafeBufferPointer(rebasing: bytes[start..<index - 1]), from: start)
    }
    return try readEscaped(from: start)
  }

  /// Skips the rest of a string from its first backslash on, without checking it; returns an empty text.
  private mutating func skipString() throws(JSONFault) -> String {
    while bytes[index] == UInt8(ascii: "\\") {
      index = min(index + 2, bytes.count)
      try skipPlain()
    }
    index += 1
    return ""
  }

  /// Advances to the next quote or backslash.
  private mutating func skipPlain() throws(JSONFault) {
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
      guard byte >= 0x20 || isLookingForNulls else { throw fault("unescaped control character in a string") }
      index += 1
    }
    throw fault("unterminated string")
  }

  /// Parses the rest of a string from its first backslash on.
  private mutating func readEscaped(from start: Int) throws(JSONFault) -> String {
    var buffer = Array(bytes[start..<index])
    while bytes[index] == UInt8(ascii: "\\") {
      index += 1
      try readEscape(into: &buffer)
      let runStart = index
      try skipPlain()
      buffer.append(contentsOf: bytes[runStart..<index])
    }
    index += 1
    return try text(buffer, from: start)
  }

  private func text(_ bytes: some Collection<UInt8>, from start: Int) throws(JSONFault) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      var copy = self
      copy.index = start
      throw copy.fault("invalid UTF-8 in a string")
    }
    return text
  }

  private mutating func readEscape(into buffer: inout [UInt8]) throws(JSONFault) {
    guard let byte = next else { throw fault("unterminated string") }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): buffer.append(byte)
    case UInt8(ascii: "b"): buffer.append(0x08)
    case UInt8(ascii: "f"): buffer.append(0x0C)
    case UInt8(ascii: "n"): buffer.append(0x0A)
    case UInt8(ascii: "r"): buffer.append(0x0D)
    case UInt8(ascii: "t"): buffer.append(0x09)
    case UInt8(ascii: "u"): buffer.append(contentsOf: String(Character(try readScalar())).utf8)
    default: throw fault("invalid escape sequence")
    }
  }

  /// Parses the digits of a `\u` escape, or of two that form a surrogate pair.
  private mutating func readScalar() throws(JSONFault) -> Unicode.Scalar {
    let first = try readHex()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, next == UInt8(ascii: "\\") else { throw fault("unpaired surrogate") }
    index += 1
    guard next == UInt8(ascii: "u") else { throw fault("unpaired surrogate") }
    index += 1
    let second = try readHex()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw fault("unpaired surrogate") }
    return scalar
  }

  private mutating func readHex() throws(JSONFault) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = next?.hexDigitValue else { throw fault("\\u escape without four hexadecimal digits") }
      value = value << 4 | UInt32(digit)
      index += 1
    }
    return value
  }
}
