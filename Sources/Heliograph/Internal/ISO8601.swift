import Foundation

/// Dates as text: RFC 3339 §5.6.
enum ISO8601 {
  /// Returns the milliseconds since 1970, rounded to the nearest; `nil` if they are out of range.
  static func milliseconds(of date: Date) -> Int64? {
    Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded())
  }

  /// Returns a time in UTC, with a fraction of the second if there is one; `nil` if the year has not four digits.
  ///
  /// Foundation's style writes either no fraction, or one for each date.
  static func text(_ milliseconds: Int64) -> String? {
    let (days, time) = milliseconds.dividedDown(by: 86_400_000)
    // Years begin in March here, so that the leap day is the last of the year; 146,097 days are 400 years.
    let (era, dayOfEra) = (days + 719_468).dividedDown(by: 146_097)
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

  /// Returns the date of a text, with or without a fraction of the second; `nil` unless it is a valid RFC 3339 date.
  ///
  /// `T` and `Z` may be lower case, a blank may stand for `T`, and the offset may have no colon. Foundation's parser reads
  /// years before 1582 in another calendar than it writes them, rolls invalid days over and ignores trailing text.
  static func date(_ text: String) -> Date? {
    var rest = Array(text.utf8)[...]
    func digits(_ count: Int) -> Int64? {
      let part = rest.prefix(count)
      guard part.count == count, part.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
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
      let second = digits(2), (1...12).contains(month), (1...dayCount(month, year)).contains(day), hour < 24,
      minute < 60,
      // A leap second is the first of the next minute.
      second <= 60
    else { return nil }
    var fraction = 0.0
    if take(".,") != nil {
      let part = rest.prefix { (0x30...0x39).contains($0) }
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
    let seconds = dayNumber(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
    return Date(timeIntervalSince1970: Double(seconds) + fraction)
  }

  private static func dayCount(_ month: Int64, _ year: Int64) -> Int64 {
    if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
    return [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// Returns the days since 1970; years begin in March, as in `text(_:)`.
  private static func dayNumber(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = shifted.dividedDown(by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  static func encode(_ date: Date, to encoder: any Encoder) throws {
    guard let text = milliseconds(of: date).flatMap(text) else {
      throw EncodingError.invalidValue(
        date, .init(codingPath: encoder.codingPath, debugDescription: "the date is not in the years 0 to 9999"))
    }
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  static func decode(from decoder: any Decoder) throws -> Date {
    let container = try decoder.singleValueContainer()
    if let date = date(try container.decode(String.self)) { return date }
    throw DecodingError.dataCorruptedError(in: container, debugDescription: "the text is not an ISO 8601 date")
  }

  private static func padded(_ number: Int64, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}

extension Int64 {
  /// Divides and rounds down, so that the remainder is never negative.
  func dividedDown(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
