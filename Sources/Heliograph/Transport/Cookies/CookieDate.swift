import Foundation

/// A parser for the date in a cookie's `Expires` attribute (RFC 6265 §5.1.1).
///
/// It is lenient, because servers use a dozen formats.
enum CookieDate {
  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

  static func read(_ text: String) -> Date? {
    var time: [Int64]?
    var (day, month, year): (Int64?, Int64?, Int64?)
    for token in text.utf8.split(whereSeparator: isDelimiter) {
      if time == nil, let found = self.time(token) {
        time = found
      } else if day == nil, let found = number(token, 1...2) {
        day = found
      } else if month == nil, let found = months.firstIndex(of: String(Substring(token.prefix(3))).loweredASCII) {
        month = Int64(found) + 1
      } else if year == nil, let found = number(token, 2...4) {
        year = found
      }
    }
    guard let time, let day, let month, var year else { return nil }
    if year < 100 { year += year < 70 ? 2000 : 1900 }
    guard year >= 1601, (1...CalendarDay.count(inMonth: month, of: year)).contains(day), time[0] < 24, time[1] < 60,
      time[2] < 60
    else { return nil }
    let seconds = CalendarDay.number(year, month, day) * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
    return Date(timeIntervalSince1970: Double(seconds))
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x3A, 0x41...0x5A, 0x61...0x7A, 0x7F...0xFF, 0x00...0x08, 0x0A...0x1F: false
    default: true
    }
  }

  private static func time(_ token: Substring.UTF8View) -> [Int64]? {
    let parts = token.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let numbers = parts.compactMap { number($0, 1...2) }
    return numbers.count == 3 ? numbers : nil
  }

  /// Returns the number at the beginning, if its count of digits is in the range.
  private static func number(_ token: Substring.UTF8View, _ lengths: ClosedRange<Int>) -> Int64? {
    let digits = token.prefix(while: \.isDigit)
    return lengths.contains(digits.count) ? Int64(Substring(digits)) : nil
  }
}
