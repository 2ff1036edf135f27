import Foundation

/// Dates as text: RFC 3339 §5.6.
package enum ISO8601 {
  /// Returns the milliseconds since 1970, rounded to the nearest; `nil` if they are out of range.
  static func milliseconds(of date: Date) -> Int64? {
    Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded())
  }

  /// Returns a time in UTC, with a fraction of the second if there is one; `nil` unless the year has four digits.
  package static func text(_ milliseconds: Int64) -> String? {
    // Foundation's style writes a fraction for either all dates or none.
    let (days, time) = milliseconds.dividedDown(by: 86_400_000)
    let (year, month, day) = CalendarDay.date(days)
    guard (0...9_999).contains(year) else { return nil }
    let clock = [time / 3_600_000, time / 60_000 % 60, time / 1_000 % 60].map { $0.padded(2) }.joined(separator: ":")
    let fraction = time % 1_000 == 0 ? "" : "." + (time % 1_000).padded(3)
    return "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))T\(clock)\(fraction)Z"
  }

  /// Returns the date of a text, with or without a fraction of the second; `nil` unless it is a valid RFC 3339 date.
  ///
  /// `T` and `Z` may be lower case, a space may replace `T`, and the offset may have no colon. Foundation's parser
  /// reads years before 1582 in another calendar than it writes them, rolls invalid days over and ignores trailing
  /// text.
  static func date(_ text: String) -> Date? {
    var rest = Array(text.utf8)[...]
    func digits(_ count: Int) -> Int64? {
      let part = rest.prefix(count)
      guard part.count == count, part.allSatisfy(\.isDigit) else { return nil }
      rest = rest.dropFirst(count)
      return part.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
    func take(_ signs: String) -> UInt8? {
      guard let byte = rest.first, signs.utf8.contains(byte) else { return nil }
      rest = rest.dropFirst()
      return byte
    }
    guard let year = digits(4), take("-") != nil, let month = digits(2), take("-") != nil, let day = digits(2),
      take("Tt ") != nil, let hour = digits(2), take(":") != nil, let minute = digits(2), take(":") != nil,
      let second = digits(2), (1...12).contains(month),
      (1...CalendarDay.count(inMonth: month, of: year)).contains(day), hour < 24, minute < 60,
      // A leap second counts as the first second of the next minute.
      second <= 60
    else { return nil }
    var fraction = 0.0
    if take(".,") != nil {
      let part = rest.prefix(while: \.isDigit)
      guard !part.isEmpty, let value = Double("0." + String(decoding: part, as: UTF8.self)) else { return nil }
      (fraction, rest) = (value, rest.dropFirst(part.count))
    }
    var offset: Int64 = 0
    if take("Zz") == nil {
      guard let sign = take("+-"), let hours = digits(2), hours < 24 else { return nil }
      let hasColon = take(":") != nil
      guard let minutes = rest.isEmpty && !hasColon ? 0 : digits(2), minutes < 60 else { return nil }
      offset = (hours * 3_600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
    }
    guard rest.isEmpty else { return nil }
    let seconds = CalendarDay.number(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
    return Date(timeIntervalSince1970: Double(seconds) + fraction)
  }

  static func encode(_ date: Date, to encoder: any Encoder) throws {
    guard let text = milliseconds(of: date).flatMap(text) else {
      throw EncodingError.invalidValue(
        date, .init(codingPath: encoder.codingPath, debugDescription: "the date is not in the years 0 to 9999"))
    }
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  /// Encodes the whole milliseconds since 1970: many servers refuse a fraction, which a date of the clock nearly always has.
  static func encodeMilliseconds(_ date: Date, to encoder: any Encoder) throws {
    guard let milliseconds = milliseconds(of: date) else {
      throw EncodingError.invalidValue(
        date, .init(codingPath: encoder.codingPath, debugDescription: "the date is out of range"))
    }
    var container = encoder.singleValueContainer()
    try container.encode(milliseconds)
  }

  static func decode(from decoder: any Decoder) throws -> Date {
    let container = try decoder.singleValueContainer()
    if let date = date(try container.decode(String.self)) { return date }
    throw DecodingError.dataCorruptedError(
      in: container, debugDescription: "the text is not a date and time with an offset (RFC 3339)")
  }
}

/// Days of the proleptic Gregorian calendar, as numbers since 1 January 1970.
///
/// Years begin in March here, so that a leap day is the last day of its year; 146,097 days are 400 years. The numbers have
/// 64 bits, because seconds are computed from them.
enum CalendarDay {
  /// Returns the number of a day; a day beyond the end of its month counts into the next month.
  static func number(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = shifted.dividedDown(by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  static func date(_ number: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (number + 719_468).dividedDown(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * march + 2) / 5 + 1)
  }

  static func count(inMonth month: Int64, of year: Int64) -> Int64 {
    if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
  }
}

extension Int64 {
  /// Returns the decimal digits of the number, with leading zeros up to a count.
  func padded(_ count: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, count - digits.count)) + digits
  }

  /// Divides and rounds down, so that the remainder is never negative.
  func dividedDown(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
