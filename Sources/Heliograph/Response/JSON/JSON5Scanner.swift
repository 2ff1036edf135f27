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
      case let byte where byte.isTokenPart && spaceByteCount == 0: try checkToken()
      default: index += max(1, spaceByteCount)
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
    while index < bytes.count, bytes[index].isTokenPart, spaceByteCount == 0 { index += 1 }
    let token = bytes[start..<index]
    guard let first = token.first, first.isDigit || "+-.".utf8.contains(first), !token.isSafeNumber else { return }
    throw JSONFault(text: "malformed number, or one with too many digits", offset: start)
  }

  /// The number of bytes of the white space at the index that is not ASCII; zero if there is none.
  private var spaceByteCount: Int {
    guard bytes[index] >= 0x80 else { return 0 }
    let (first, rest) = (bytes[index], Array(bytes[(index + 1)..<min(index + 3, bytes.count)]))
    switch (first, rest.first, rest.last) {
    case (0xC2, 0xA0, _): return 2
    case (0xE1, 0x9A, 0x80), (0xE2, 0x81, 0x9F), (0xE3, 0x80, 0x80), (0xEF, 0xBB, 0xBF): return 3
    case (0xE2, 0x80, let last?) where (0x80...0x8A).contains(last) || [0xA8, 0xA9, 0xAF].contains(last): return 3
    default: return 0
    }
  }
}

extension Slice<UnsafeRawBufferPointer> {
  /// Whether the bytes are a number of JSON5 at which the decoder does not end the process.
  fileprivate var isSafeNumber: Bool {
    var rest = self
    if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
    if rest.elementsEqual("Infinity".utf8) || rest.elementsEqual("NaN".utf8) { return true }
    if rest.count > 2, rest.first == UInt8(ascii: "0"), rest[rest.startIndex + 1] | 0x20 == UInt8(ascii: "x") {
      let digits = rest.dropFirst(2)
      return digits.allSatisfy { $0.hexDigitValue != nil } && digits.drop { $0 == UInt8(ascii: "0") }.count <= 15
    }
    let integer = rest.prefix(while: \.isDigit)
    rest = rest[integer.endIndex...]
    if rest.first == UInt8(ascii: ".") { rest = rest.dropFirst() }
    let fraction = rest.prefix(while: \.isDigit)
    rest = rest[fraction.endIndex...]
    if let byte = rest.first, byte | 0x20 == UInt8(ascii: "e") {
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
      let exponent = rest.prefix(while: \.isDigit)
      if exponent.isEmpty { return false }
      rest = rest[exponent.endIndex...]
    }
    return rest.isEmpty && count <= 128 && integer.count + fraction.count > 0
  }
}

extension UInt8 {
  /// Whether the byte may belong to a number, a literal or a name without quotation marks.
  fileprivate var isTokenPart: Bool { self >= 0x80 || isDigit || isLetter || "+-._$\\".utf8.contains(self) }
}
