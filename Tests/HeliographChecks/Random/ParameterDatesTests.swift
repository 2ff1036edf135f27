import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct ParameterDatesTests {
  private func text(_ date: Date, _ dates: JSONCoding.Dates = .iso8601) throws -> String? {
    try ParameterRules(dates: dates).pairs(["a": date]).first?.value
  }

  @Test func fractionIsWrittenIfThereIsOne() throws {
    let whole = Date(timeIntervalSince1970: 1_767_323_045)
    try expectEqual(text(whole), "2026-01-02T03:04:05Z")
    try expectEqual(text(whole + 0.25), "2026-01-02T03:04:05.250Z")
    try expectEqual(text(whole + 0.007), "2026-01-02T03:04:05.007Z")
    try expectEqual(text(whole + 0.0004), "2026-01-02T03:04:05Z")
    try expectEqual(text(whole + 0.9996), "2026-01-02T03:04:06Z")
  }

  @Test func secondsAndMillisecondsAreWhole() throws {
    let date = Date(timeIntervalSince1970: 1_767_323_045.75)
    try expectEqual(text(date, .secondsSince1970), "1767323045")
    try expectEqual(text(date, .millisecondsSince1970), "1767323045750")
    let before = Date(timeIntervalSince1970: -0.25)
    try expectEqual(text(before, .secondsSince1970), "-1")
    try expectEqual(text(before, .millisecondsSince1970), "-250")
    try expectEqual(text(before), "1969-12-31T23:59:59.750Z")
    let rules = ParameterRules(dates: .millisecondsSince1970)
    try expectEqual(rules.json(["a": before]), Data(#"{"a":-250}"#.utf8))
    try expectEqual(ParameterRules().json(["a": before]), Data(#"{"a":"1969-12-31T23:59:59.750Z"}"#.utf8))
  }

  @Test func everyDayIsTheOneThatFoundationSays() throws {
    // Foundation's own calendar turns Julian before 1582, so only days after that are compared.
    let style = Date.ISO8601FormatStyle()
    for day in stride(from: -141_000, to: 2_932_896, by: 1) where day % 7 == 0 || abs(day % 365) < 2 {
      let date = Date(timeIntervalSince1970: Double(day) * 86_400 + Double(abs(day) % 86_400))
      let found = try text(date)
      if found != date.formatted(style) { expectEqual(found, date.formatted(style)) }
    }
  }

  @Test func yearsOfFourDigitsAreWritten() throws {
    // The first day of year 1 in the Julian calendar.
    try expectEqual(text(.distantPast), "0000-12-30T00:00:00Z")
    try expectEqual(text(.distantFuture), "4001-01-01T00:00:00Z")
    try expectEqual(text(Date(timeIntervalSince1970: -62_167_219_200)), "0000-01-01T00:00:00Z")
    try expectEqual(text(Date(timeIntervalSince1970: 253_402_300_799)), "9999-12-31T23:59:59Z")
    try expectEqual(text(Date(timeIntervalSince1970: 951_782_400)), "2000-02-29T00:00:00Z")
  }

  @Test(arguments: [-62_167_219_200.001, 253_402_300_799.9999, 1e300, -1e300, .infinity, .nan])
  func datesOutOfRangeAreRefused(seconds: Double) {
    let error = #expect(throws: NetworkError.self) { try text(Date(timeIntervalSince1970: seconds)) }
    expectEqual(error?.code, .invalidParameters)
    expectEqual(error?.reason.hasPrefix("a: the date is"), true)
  }
}
