extension [UInt8] {
  /// Appends a text as a JSON string (RFC 8259 §7); runs without escapes are copied at once.
  package mutating func appendJSON(_ text: String) {
    var text = text
    append(quote)
    text.withUTF8 { utf8 in
      var start = 0
      var index = 0
      while index < utf8.count {
        let byte = utf8[index]
        index += 1
        guard byte < 0x20 || byte == quote || byte == backslash else { continue }
        append(contentsOf: utf8[start..<index - 1])
        start = index
        appendEscape(of: byte)
      }
      append(contentsOf: utf8[start...])
    }
    append(quote)
  }

  private mutating func appendEscape(of byte: UInt8) {
    append(backslash)
    switch byte {
    case UInt8(ascii: "\n"): append(UInt8(ascii: "n"))
    case UInt8(ascii: "\r"): append(UInt8(ascii: "r"))
    case UInt8(ascii: "\t"): append(UInt8(ascii: "t"))
    case quote, backslash: append(byte)
    default:
      append(contentsOf: "u00".utf8)
      append(byte.highHexDigit)
      append(byte.lowHexDigit)
    }
  }
}

private let quote = UInt8(ascii: "\"")
private let backslash = UInt8(ascii: "\\")
