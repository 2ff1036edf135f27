extension JSONParser {
  /// Parses a number (RFC 8259 §6).
  mutating func readNumber() throws(JSONFault) -> JSON {
    let start = index
    let isNegative = next == UInt8(ascii: "-")
    if isNegative { index += 1 }
    guard let magnitude = try readInteger() else { return try readDouble(from: start) }
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
  private mutating func readInteger() throws(JSONFault) -> UInt64? {
    if next == UInt8(ascii: "0") {
      index += 1
      guard !isAtDigit else { throw fault("number with a leading zero") }
      return 0
    }
    guard isAtDigit else { throw fault("number without digits") }
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

  /// Parses the rest of a number that has a fraction or an exponent, or exceeds 64 bits; a 64-bit integer in this
  /// notation, such as `1.5e18`, keeps its digits if a `Double` would change them.
  private mutating func readDouble(from start: Int) throws(JSONFault) -> JSON {
    try skipFraction()
    if isLookingForNulls { return .bool(true) }
    let bytes = UnsafeBufferPointer(rebasing: bytes[start..<index])
    let text = String(decoding: bytes, as: UTF8.self)
    guard let number = Double(text), number.isFinite else { throw fault("number out of range") }
    if isForDecoder, bytes.count >= 128, number.magnitude >= 0x1p53, number.magnitude <= 0x1p128 {
      throw fault("number with more than 128 digits")
    }
    guard number.magnitude >= 0x1p53, number.magnitude <= 0x1p64, let magnitude = Self.whole(bytes) else {
      return .number(number)
    }
    if number > 0 { return Int64(exactly: magnitude).map { .integer($0) } ?? .unsigned(magnitude) }
    return magnitude <= Int64.min.magnitude ? .integer(Int64(truncatingIfNeeded: 0 &- magnitude)) : .number(number)
  }

  /// Returns the magnitude of a number with a fraction or an exponent; `nil` if it is not an integer of 64 bits.
  private static func whole(_ number: UnsafeBufferPointer<UInt8>) -> UInt64? {
    let mantissa = number.prefix { $0 | 0x20 != UInt8(ascii: "e") }
    var exponent = 0
    if mantissa.count < number.count {
      let digits = String(decoding: number.dropFirst(mantissa.count + 1), as: UTF8.self)
      guard let value = Int(digits) else { return nil }
      exponent = value
    }
    var digits: [UInt8] = []
    var isAfterPoint = false
    for byte in mantissa where byte != UInt8(ascii: "-") {
      if byte == UInt8(ascii: ".") {
        isAfterPoint = true
      } else {
        if isAfterPoint { exponent -= 1 }
        if !digits.isEmpty || byte != UInt8(ascii: "0") { digits.append(byte) }
      }
    }
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent += 1
    }
    guard exponent >= 0, digits.count + exponent <= 20 else { return nil }
    digits.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: exponent))
    return UInt64(String(decoding: digits, as: UTF8.self))
  }

  private mutating func skipFraction() throws(JSONFault) {
    if next == UInt8(ascii: ".") {
      index += 1
      try skipDigits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      index += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
      try skipDigits()
    }
  }

  private mutating func skipDigits() throws(JSONFault) {
    guard isAtDigit else { throw fault("number without digits after its decimal point or exponent") }
    while isAtDigit { index += 1 }
  }

  private var isAtDigit: Bool { index < bytes.count && bytes[index].isDigit }
}
