import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct HTTPDateTests {
  /// The instant of the examples in RFC 9110 §5.6.7.
  private let instant = Date(timeIntervalSince1970: 784_111_777)
  /// 1 July 2026.
  private let now = Date(timeIntervalSince1970: 1_782_864_000)

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "Sun Nov 06 08:49:37 1994", "SUN, 06 NOV 1994 08:49:37 GMT", "sun, 06 nov 1994 08:49:37 gmt",
    "sunday, 06-nov-94 08:49:37 gmt", "sun nov  6 08:49:37 1994", "Mon, 06 Nov 1994 08:49:37 GMT",
    " Sun, 06 Nov 1994 08:49:37 GMT\t",
  ])
  func parsesTheThreeFormatsInAnyCase(_ text: String) {
    expectEqual(HTTPDate.parse(text, isStrict: true, now: now), instant)
    expectEqual(HTTPDate.parse(text, now: now), instant)
  }

  @Test(arguments: [
    "06 Nov 1994 08:49:37 GMT", "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 8:49:37 GMT", "Sun,06 Nov 1994 08:49:37 GMT", "Sun,  06  Nov  1994  08:49:37  GMT",
    "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 06 Nov 1994 08:49:37", "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun, Nov 06 1994 08:49:37 GMT",
    "Sun Nov  6 08:49:37 1994 GMT", "Nov 6 08:49:37 1994",
  ])
  func parsesVariantsOnlyIfLenient(_ text: String) {
    expectEqual(HTTPDate.parse(text, now: now), instant)
    expectNil(HTTPDate.parse(text, isStrict: true, now: now))
  }

  @Test(arguments: [
    "", " ", "0", "-1", "784111777", "yesterday", "1994-11-06T08:49:37Z", "1994-11-06 08:49:37",
    "Sun, 06 Nov 1994", "08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08.49.37 GMT",
    "Sun, 06 Nov 1994 08:49:37 EST", "Sun, 06 Nov 1994 08:49:37 AEST", "Sun, 06 Nov 1994 08:49:37 +0000",
    "Sun, 06 Nov 1994 08:49:37 -0000", "Sun, 06 Nov 1994 08:49:37 GMT+1", "Sun, 06 Nov 1994 08:49:37 GMTX",
    "Sun, 06 Nov 1994 08:49:37 GMT GMT", "Sun, 06 Nov 1994 08:49:37 Z", "Sun, 06 Nov 1994 GMT 08:49:37",
    "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
    "Wed, 29 Feb 2023 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
    "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 994 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37.5 GMT", "Sun, 06 Nov 1994 08:49:3 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
    "Sun, 06 November 1994 08:49:37 GMT", "Xyz, 06 Nov 1994 08:49:37 GMT", "Sun, 1994 Nov 06 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 PM", "Sun, 06 Nov 1994, Sun, 06 Nov 1994 08:49:37 GMT", "\u{663}",
    "Sun, \u{660}6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT; x",
  ])
  func refusesTheRest(_ text: String) {
    expectNil(HTTPDate.parse(text, now: now))
    expectNil(HTTPDate.parse(text, isStrict: true, now: now))
  }

  /// RFC 9110 §5.6.7: more than 50 years in the future is in the past.
  @Test(arguments: [
    ("Friday, 01-Jan-76 00:00:00 GMT", "Wed, 01 Jan 2076 00:00:00 GMT"),
    ("Friday, 01-Jan-77 00:00:00 GMT", "Sat, 01 Jan 1977 00:00:00 GMT"),
    ("Friday, 01-Jan-26 00:00:00 GMT", "Thu, 01 Jan 2026 00:00:00 GMT"),
    ("Friday, 01-Jan-00 00:00:00 GMT", "Sat, 01 Jan 2000 00:00:00 GMT"),
    ("Friday, 29-Feb-00 00:00:00 GMT", "Tue, 29 Feb 2000 00:00:00 GMT"),
  ])
  func aYearOfTwoDigitsIsAtMost50YearsLater(_ text: String, _ expected: String) throws {
    expectEqual(HTTPDate.text(of: try require(HTTPDate.parse(text, isStrict: true, now: now))), expected)
  }

  @Test func aYearOfTwoDigitsMayBeInTheNextCentury() throws {
    let late = try require(HTTPDate.parse("Thu, 01 Jan 2099 00:00:00 GMT", now: now))
    let date = try require(HTTPDate.parse("Friday, 01-Jan-05 00:00:00 GMT", now: late))
    expectEqual(HTTPDate.text(of: date), "Thu, 01 Jan 2105 00:00:00 GMT")
  }

  @Test func theCurrentTimeMayBeAnything() {
    for now in [
      Date.distantPast, .distantFuture, Date(timeIntervalSince1970: .infinity), Date(timeIntervalSince1970: .nan),
    ] {
      expect(HTTPDate.parse("Sunday, 06-Nov-94 08:49:37 GMT", now: now) != nil)
    }
  }

  @Test func aLeapSecondIsTheFirstOfTheNextMinute() {
    let next = Date(timeIntervalSince1970: 1_483_228_800)
    expectEqual(HTTPDate.parse("Sat, 31 Dec 2016 23:59:60 GMT"), next)
  }

  @Test(arguments: [
    (784_111_777.9, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
    (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (-0.5, "Wed, 31 Dec 1969 23:59:59 GMT"),
    (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    (1e300, "Fri, 31 Dec 9999 23:59:59 GMT"), (-1e300, "Sat, 01 Jan 0000 00:00:00 GMT"),
    (.infinity, "Fri, 31 Dec 9999 23:59:59 GMT"), (.nan, "Thu, 01 Jan 1970 00:00:00 GMT"),
  ])
  func writesThePreferredFormat(_ seconds: Double, _ text: String) {
    expectEqual(HTTPDate.text(of: Date(timeIntervalSince1970: seconds)), text)
  }

  @Test func everyDayIsReadAsWritten() {
    let dates = stride(from: -719_000, to: 2_930_000, by: Scale.isMedium ? 37 : 373).map { day in
      Date(timeIntervalSince1970: Double(day) * 86_400 + Double(abs(day) % 86_400))
    }
    expectEqual(dates.map { HTTPDate.parse(HTTPDate.text(of: $0), isStrict: true) }, dates)
  }
}
