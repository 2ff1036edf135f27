/// A scanner for the numbers of a JSON5 text, at some of which `JSONDecoder` ends the process.
///
/// It passes over strings and comments, and judges what begins like a number: a digit, a sign or a decimal point.
struct JSON5Scanner {
  private let bytes: UnsafeRawBufferPointer
  private var index = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Throws for the first number that the decoder may not survive: with an exponent without digits, or with more than
  /// 128 decimal or 15 hexadecimal digits.
  mutating func check() throws(JSONFault) {
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): skipString()
      case UInt8(ascii: "/"): skipComment()
      case let byte where byte.isTokenPart: try checkToken()
      default: index += 1
      }
    }
  }

  private mutating func skipString() {
    let quote = bytes[index]
    index += 1
    while index < bytes.count, bytes[index] != quote { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
    index += 1
  }

  private mutating func skipComment() {
    let next = index + 1 < bytes.count ? bytes[index + 1] : 0
    index += 2
    if next == UInt8(ascii: "/") {
      while index < bytes.count, bytes[index] != 0x0A, bytes[index] != 0x0D { index += 1 }
    } else if next == UInt8(ascii: "*") {
      while index + 1 < bytes.count, bytes[index] != UInt8(ascii: "*") || bytes[index + 1] != UInt8(ascii: "/") {
        index += 1
      }
      index += 2
    }
  }

  private mutating func checkToken() throws(JSONFault) {
    let start = index
    while index < bytes.count, bytes[index].isTokenPart { index += 1 }
    let token = String(decoding: bytes[start..<index], as: UTF8.self)
    guard let first = token.utf8.first, !first.isLetter, first != UInt8(ascii: "_"), first != UInt8(ascii: "$") else {
      return
    }
    let isSafe =
      token.wholeMatch(of: /[+-]?(Infinity|NaN|0[xX][0-9a-fA-F]{1,15})/) != nil
      || token.utf8.count <= 128 && token.wholeMatch(of: /[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?/) != nil
    if !isSafe { throw JSONFault(text: "malformed number, or one with too many digits", offset: start) }
  }
}

extension UInt8 {
  /// Whether the byte belongs to a number, a literal or a name without quotation marks.
  fileprivate var isTokenPart: Bool { isDigit || isLetter || "+-._$".utf8.contains(self) }
}
