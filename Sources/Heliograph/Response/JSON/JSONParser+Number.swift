extension JSONParser {
  /// Parses a number (RFC 8259 §6).
  mutating func readNumber() throws(JSONFault) -> JSON {
    let start = index
    let isNegative = next == UInt8(ascii: "-")
    if isNegative { index += 1 }
    guard let magnitude = try readWhole() else { return try readDouble(from: start) }
    switch next {
    case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): return try readDouble(from: start)
    default: break
    }
    if isNegative {
      return magnitude <= Int64.min.magnitude
        ? .integer(Int64(truncatingIfNeeded: 0 &- magnitude)) : try readDouble(from: start)
    }
    return Int64(exactly: magnitude).map { .integer($0) } ?? .unsigned(magnitude)
  }

  /// Parses the digits before the point; returns `nil` if they exceed 64 bits.
  private mutating func readWhole() throws(JSONFault) -> UInt64? {
    if next == UInt8(ascii: "0") {
      index += 1
      guard !isAtDigit else { throw fault("a number with a zero before its digits") }
      return 0
    }
    guard isAtDigit else { throw fault("a number without digits") }
    var magnitude: UInt64 = 0
    var hasOverflowed = false
    while isAtDigit {
      let (tens, isTooLarge) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, isStillTooLarge) = tens.addingReportingOverflow(UInt64(bytes[index] - UInt8(ascii: "0")))
      hasOverflowed = hasOverflowed || isTooLarge || isStillTooLarge
      magnitude = sum
      index += 1
    }
    return hasOverflowed ? nil : magnitude
  }

  /// Parses the rest of a number with a fraction or an exponent, or too large for 64 bits.
  private mutating func readDouble(from start: Int) throws(JSONFault) -> JSON {
    if next == UInt8(ascii: ".") {
      index += 1
      try skipDigits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      index += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
      try skipDigits()
    }
    let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<index]), as: UTF8.self)
    guard let number = Double(text), number.isFinite else { throw fault("a number that is too large") }
    return .number(number)
  }

  private mutating func skipDigits() throws(JSONFault) {
    guard isAtDigit else { throw fault("a number without digits behind its point or exponent") }
    while isAtDigit { index += 1 }
  }

  private var isAtDigit: Bool {
    index < bytes.count && bytes[index] >= UInt8(ascii: "0") && bytes[index] <= UInt8(ascii: "9")
  }
}
