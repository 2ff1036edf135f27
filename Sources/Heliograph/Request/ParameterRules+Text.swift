import Foundation

extension ParameterRules {
  /// The text of a value that is neither an array nor an object; that of a null is empty.
  func text(of value: ParameterValue) throws(ParameterRefusal) -> String {
    switch value {
    case .null, .array, .object: return ""
    case .bool(let value): return booleans == .words ? (value ? "true" : "false") : (value ? "1" : "0")
    case .integer(let value): return String(value)
    case .unsigned(let value): return String(value)
    case .number(let value):
      guard value.isFinite else { throw ParameterRefusal(ParameterRefusal.notFinite) }
      return value.plainText
    case .decimal(let value):
      guard value.isFinite else { throw ParameterRefusal(ParameterRefusal.notFinite) }
      return value.description
    case .string(let value): return value
    case .date(let value): return try text(of: value)
    case .data(let value): return value.base64EncodedString()
    }
  }

  private func text(of date: Date) throws(ParameterRefusal) -> String {
    guard let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded()) else {
      throw ParameterRefusal("the date is out of range")
    }
    switch dates {
    case .milliseconds: return String(milliseconds)
    case .seconds: return String(milliseconds.divided(by: 1_000).quotient)
    case .iso8601:
      if let text = Self.iso8601(milliseconds) { return text }
      throw ParameterRefusal("the date is not in the years 0 to 9999")
    }
  }

  /// A time in UTC, with a fraction of the second if there is one (RFC 3339 §5.6); `nil` if the year has not four digits.
  private static func iso8601(_ milliseconds: Int64) -> String? {
    let (days, time) = milliseconds.divided(by: 86_400_000)
    // Years begin in March here, so that the leap day is the last of the year; 146,097 days are 400 years.
    let (era, dayOfEra) = (days + 719_468).divided(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    guard (0...9_999).contains(year) else { return nil }
    var text = ""
    text += padded(year, 4) + "-" + padded(month, 2) + "-" + padded(dayOfYear - (153 * march + 2) / 5 + 1, 2)
    text += "T" + padded(time / 3_600_000, 2) + ":" + padded(time / 60_000 % 60, 2)
    text += ":" + padded(time / 1_000 % 60, 2)
    if time % 1_000 != 0 { text += "." + padded(time % 1_000, 3) }
    return text + "Z"
  }

  private static func padded(_ number: Int64, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}

extension Int64 {
  /// Rounds down, so that the remainder is never negative.
  fileprivate func divided(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

extension Double {
  /// The shortest digits that mean this finite number, without an exponent; `0` for minus zero.
  fileprivate var plainText: String {
    if let whole = Int64(exactly: self) { return String(whole) }
    let text = description
    guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "e")), let exponent = Int(text[mark...].dropFirst()) else {
      return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
    // As in -1.25e-07: all digits, and how many of them are before the point.
    let digits = text[..<mark].utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") }
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
