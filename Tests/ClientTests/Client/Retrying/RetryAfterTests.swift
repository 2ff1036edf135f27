import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct RetryAfterTests {
  /// 6 November 1994, 08:49:37, the instant of RFC 9110 §5.6.7.
  private let instant = Date(timeIntervalSince1970: 784_111_777)

  @Test(arguments: [("0", 0), ("120", 120), (" 7\t", 7), ("007", 7), ("99999999999999999999999", Int.max)])
  func readsSeconds(text: String, seconds: Int) {
    expectEqual(RetryAfter(text), .delay(.seconds(seconds)))
  }

  /// As `HTTPDate` reads it (RFC 9110 §5.6.7).
  @Test func readsALeapSecond() {
    expect(RetryAfter("Sun, 06 Nov 1994 08:49:60 GMT") != nil)
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func readsThreeFormsOfDates(text: String) {
    expectEqual(RetryAfter(text), .date(instant))
  }

  @Test(arguments: [
    "", " ", "-1", "+1", "1.5", "1e3", "soon", "120, 60", "Sun, 06 Nov 1994", "٣", "Sun, 31 Feb 1994 08:49:37 GMT",
  ])
  func refusesTheRest(text: String) {
    expectNil(RetryAfter(text))
  }

  @Test func aDateIsComparedWithTheClockAndOneThatHasPassedIsNow() {
    expectEqual(RetryAfter.date(instant).delay(from: instant - 30), .seconds(30))
    expectEqual(RetryAfter.date(instant).delay(from: instant + 30), .zero)
    expect(RetryAfter.date(instant).delay(from: .distantPast) > .seconds(1_000_000))
    expectEqual(RetryAfter.delay(.seconds(3)).delay(from: instant), .seconds(3))
  }

  private func delay(_ headers: HTTPHeaders) -> Duration? {
    let head = HTTPResponse(statusCode: 503, headers: headers, url: HTTPRequest.sample().url)
    return RetryAfter.delay(in: head, wallClock: { instant - 10 })
  }

  @Test func theResponsesOwnDateComesBeforeTheDevicesClock() {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    expectEqual(delay(["Retry-After": date]), .seconds(10))
    expectEqual(delay(["Retry-After": date, "Date": "Sun, 06 Nov 1994 08:47:37 GMT"]), .seconds(120))
    expectEqual(delay(["retry-after": date, "date": "nonsense"]), .seconds(10))
    expectEqual(delay(["Retry-After": "5", "Date": "Sun, 06 Nov 1994 08:47:37 GMT"]), .seconds(5))
    expectEqual(delay(["Retry-After": "5", "retry-after": "9"]), .seconds(5))
    expectNil(delay(["Retry-After": "nonsense"]))
    expectNil(delay([:]))
  }
}
