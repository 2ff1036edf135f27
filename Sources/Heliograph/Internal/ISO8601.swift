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

  /// Returns the date of a text, with or without a fraction of the second.
  static func date(_ text: String) -> Date? {
    (try? Date(text, strategy: .iso8601))
      ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
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
