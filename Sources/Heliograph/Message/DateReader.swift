/// A parser for the formats of dates in header fields: RFC 9110 §5.6.7.
struct DateReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position: Int
  private let end: Int

  /// Creates a parser for the bytes of a value; surrounding whitespace is ignored.
  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    let content = bytes.trimmed
    (position, end) = (content.startIndex, content.endIndex)
  }

  /// Parses the whole text as one of the three standard formats; `nil` for any other format.
  mutating func parseStandard() -> DateFields? {
    guard let isLong = parseWeekday() else { return nil }
    let fields = take(",") ? parseAfterComma(isLong) : isLong ? nil : parseAsctime()
    return position == end ? fields : nil
  }

  /// Parses the components in any unambiguous order: the day precedes the year, and the zone is last.
  mutating func parseUnordered() -> DateFields? {
    var (day, month, year, second): (Int64?, Int64?, Int64?, Int64?)
    var hasTwoDigitYear = false
    var hasZone = false
    _ = parseWeekday()
    while true {
      while take(" ") || take(",") || take("-") || take("\t") {}
      if position == end { break }
      guard !hasZone else { return nil }
      if let found = parseMonth() {
        guard month == nil else { return nil }
        month = found
      } else if takeZone("gmt") || takeZone("utc") {
        guard second != nil else { return nil }
        hasZone = true
      } else if second == nil, let found = parseTime(hourDigits: 1...2) {
        second = found
      } else if day == nil, let found = parseNumber(1...2) {
        day = found
      } else if day != nil, year == nil {
        let count = bytes[position..<end].digitCount
        guard count == 4 || count == 2 else { return nil }
        year = parseNumber(2...4)
        hasTwoDigitYear = count == 2
      } else {
        return nil
      }
      // A separator must follow each component but the last.
      guard position == end || " ,-\t".utf8.contains(bytes[position]) else { return nil }
    }
    guard let day, let month, let year, let second else { return nil }
    return DateFields(day: day, month: month, year: year, hasTwoDigitYear: hasTwoDigitYear, second: second)
  }

  /// Parses the text after the comma of the preferred format or of RFC 850.
  private mutating func parseAfterComma(_ isLong: Bool) -> DateFields? {
    let separator: Unicode.Scalar = isLong ? "-" : " "
    guard take(" "), let day = parseNumber(2...2), take(separator), let month = parseMonth(), take(separator),
      let year = parseNumber(isLong ? 2...2 : 4...4), take(" "), let second = parseTime(hourDigits: 2...2), take(" "),
      takeZone("gmt")
    else { return nil }
    return DateFields(day: day, month: month, year: year, hasTwoDigitYear: isLong, second: second)
  }

  /// Parses the text after the weekday of the format of C's `asctime`, whose day may have a leading space.
  private mutating func parseAsctime() -> DateFields? {
    guard take(" "), let month = parseMonth(), take(" "), let day = take(" ") ? parseNumber(1...1) : parseNumber(2...2),
      take(" "), let second = parseTime(hourDigits: 2...2), take(" "), let year = parseNumber(4...4)
    else { return nil }
    return DateFields(day: day, month: month, year: year, hasTwoDigitYear: false, second: second)
  }

  private static let weekdays: [StaticString] = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]
  private static let months: [StaticString] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Parses the name of a weekday and returns whether it is written out; otherwise, it has three letters.
  private mutating func parseWeekday() -> Bool? {
    let word = bytes[position..<end].prefix(while: \.isLetter)
    for name in Self.weekdays where word.isEqualIgnoringCase(to: name) || word.isPrefix(of: name, count: 3) {
      position = word.endIndex
      return word.count > 3
    }
    return nil
  }

  private mutating func parseMonth() -> Int64? {
    let word = bytes[position..<end].prefix(while: \.isLetter)
    guard word.count == 3, let index = Self.months.firstIndex(where: word.isEqualIgnoringCase) else { return nil }
    position = word.endIndex
    return Int64(index) + 1
  }

  private mutating func takeZone(_ name: StaticString) -> Bool {
    let word = bytes[position..<end].prefix(while: \.isLetter)
    guard word.isEqualIgnoringCase(to: name) else { return false }
    position = word.endIndex
    return true
  }

  /// Parses hour, minute and second and returns the second of the day; if they are invalid, the position is
  /// unchanged.
  ///
  /// A leap second counts as the first second of the next minute.
  private mutating func parseTime(hourDigits: ClosedRange<Int>) -> Int64? {
    let start = position
    if let hour = parseNumber(hourDigits), hour < 24, take(":"), let minute = parseNumber(2...2), minute < 60,
      take(":"), let second = parseNumber(2...2), second <= 60
    {
      return hour * 3_600 + minute * 60 + second
    }
    position = start
    return nil
  }

  /// Parses all digits that follow; `nil` if their count is not in the range.
  private mutating func parseNumber(_ counts: ClosedRange<Int>) -> Int64? {
    let digits = bytes[position..<end].prefix(while: \.isDigit)
    guard counts.contains(digits.count) else { return nil }
    position = digits.endIndex
    return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }

  private mutating func take(_ sign: Unicode.Scalar) -> Bool {
    guard position < end, bytes[position] == UInt8(ascii: sign) else { return false }
    position += 1
    return true
  }
}
