import Foundation

extension ParameterRules {
  /// Returns the text of a value that is neither an array nor an object; the text of null is empty.
  func text(of value: ParameterValue) throws(ParameterError) -> String {
    switch value {
    case .null, .array, .object: return ""
    case .bool(let value): return booleans == .trueFalse ? (value ? "true" : "false") : (value ? "1" : "0")
    case .integer(let value): return String(value)
    case .unsigned(let value): return String(value)
    case .number(let value):
      guard value.isFinite else { throw ParameterError(ParameterError.notFinite) }
      return value.plainText
    case .decimal(let value):
      guard value.isFinite else { throw ParameterError(ParameterError.notFinite) }
      return value.description
    case .string(let value): return value
    case .date(let value): return try text(of: value)
    case .data(let value): return value.base64EncodedString()
    }
  }

  private func text(of date: Date) throws(ParameterError) -> String {
    guard let milliseconds = ISO8601.milliseconds(of: date) else { throw ParameterError("the date is out of range") }
    switch dates ?? .iso8601 {
    case .millisecondsSince1970: return String(milliseconds)
    case .secondsSince1970: return String(milliseconds.dividedDown(by: 1_000).quotient)
    case .iso8601:
      if let text = ISO8601.text(milliseconds) { return text }
      throw ParameterError("the date is not in the years 0 to 9999")
    }
  }
}

extension Double {
  /// The shortest decimal representation of this finite number, without an exponent; `0` for negative zero.
  var plainText: String {
    if let whole = Int64(exactly: self) { return String(whole) }
    let text = description
    guard let exponentMark = text.utf8.firstIndex(of: UInt8(ascii: "e")),
      let exponent = Int(text[exponentMark...].dropFirst())
    else {
      return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
    // For -1.25e-07 the digits are 125, and the point is six places before them: -6.
    let digits = text[..<exponentMark].utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") }
    let point = 1 + exponent
    var bytes: [UInt8] = self < 0 ? [UInt8(ascii: "-")] : []
    let zero = UInt8(ascii: "0")
    if point <= 0 {
      bytes += [zero, UInt8(ascii: ".")] + [UInt8](repeating: zero, count: -point) + digits
    } else {
      bytes += digits.prefix(point) + [UInt8](repeating: zero, count: max(0, point - digits.count))
      if point < digits.count { bytes += [UInt8(ascii: ".")] + digits.dropFirst(point) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
