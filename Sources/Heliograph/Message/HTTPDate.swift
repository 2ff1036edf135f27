import Foundation

/// Dates in header fields: RFC 9110 §5.6.7.
enum HTTPDate {
  /// Parses a date; `nil` for an unaccepted format, another time zone or an impossible date.
  ///
  /// With `isStrict`, only the three formats of the RFC are accepted, otherwise also unambiguous variants of them. The
  /// weekday is not compared with the date. A two-digit year is at most 50 years after `now`.
  static func parse(_ text: String, isStrict: Bool = false, now: Date = Date()) -> Date? {
    var text = text
    return text.withUTF8 { bytes in
      var strict = DateReader(bytes)
      if let fields = strict.parseStandard() { return fields.date(now: now) }
      if isStrict { return nil }
      var lenient = DateReader(bytes)
      return lenient.parseUnordered()?.date(now: now)
    }
  }

  /// Returns a date in the preferred format, such as `Sun, 06 Nov 1994 08:49:37 GMT`, without a fraction of the second;
  /// dates outside the years 0 to 9999 are clamped to the first or the last second of these years.
  static func text(of date: Date) -> String {
    let (first, last): (Int64, Int64) = (-62_167_219_200, 253_402_300_799)
    let time = date.timeIntervalSince1970.rounded(.down)
    let second = time.isNaN ? 0 : Int64(min(max(time, Double(first)), Double(last)))
    let (days, rest) = second.dividedDown(by: 86_400)
    let (year, month, day) = CalendarDay.date(days)
    // 1 January 1970 was a Thursday.
    let weekday = (days + 3).dividedDown(by: 7).remainder
    let clock = [rest / 3_600, rest / 60 % 60, rest % 60].map { $0.padded(2) }.joined(separator: ":")
    let names = (weekdays[Int(clamping: weekday)], months[Int(clamping: month - 1)])
    return "\(names.0), \(day.padded(2)) \(names.1) \(year.padded(4)) \(clock) GMT"
  }

  private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}

/// The components of a date in a header field; they may be out of range.
struct DateFields {
  var day: Int64
  /// The month, from 1 to 12.
  var month: Int64
  /// The year; only its last two digits if `hasTwoDigitYear`.
  var year: Int64
  var hasTwoDigitYear: Bool
  /// The second of the day.
  var second: Int64

  /// Returns the date; `nil` if the month has no such day.
  func date(now: Date) -> Date? {
    if !hasTwoDigitYear { return date(in: year) }
    // The latest year with these digits that is at most 50 years in the future.
    let limit = now.addingTimeInterval(50 * 365.2425 * 86_400)
    let seconds = now.timeIntervalSince1970
    let days = seconds.isNaN ? 0 : Int64((min(max(seconds, -6e10), 2.5e11) / 86_400).rounded(.down))
    let century = CalendarDay.date(days).year.dividedDown(by: 100).quotient * 100
    for candidate in [century + 100 + year, century + year] {
      if let date = date(in: candidate), date <= limit { return date }
    }
    return date(in: century - 100 + year)
  }

  private func date(in year: Int64) -> Date? {
    guard day >= 1, day <= CalendarDay.count(inMonth: month, of: year) else { return nil }
    return Date(timeIntervalSince1970: Double(CalendarDay.number(year, month, day) * 86_400 + second))
  }
}
