import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct RetryAfterTests {
  /// 6 November 1994, 08:49:37, the instant of RFC 9110 §5.6.7.
  private let instant = Date(timeIntervalSince1970: 784_111_777)

  private func delay(_ headers: HTTPHeaders, from now: Date) -> Duration? {
    HTTPResponse(statusCode: 503, headers: headers, url: HTTPRequest.sample().url).retryAfter { now }
  }

  @Test(arguments: [("0", 0), ("120", 120), (" 7\t", 7), ("007", 7), ("99999999999999999999999", Int.max)])
  func readsSeconds(text: String, seconds: Int) {
    expectEqual(delay(["Retry-After": text], from: instant), .seconds(seconds))
  }

  /// As `HTTPDate` reads it (RFC 9110 §5.6.7).
  @Test func readsALeapSecond() {
    expect(delay(["Retry-After": "Sun, 06 Nov 1994 08:49:60 GMT"], from: instant) != nil)
  }

  /// Shopify sends one.
  @Test(arguments: [("2.0", 2), ("0.5", 1), ("1.05", 2), ("0.000", 0)]) func aFractionIsRoundedUp(
    _ text: String, _ seconds: Int
  ) {
    expectEqual(delay(["Retry-After": text], from: instant), .seconds(seconds))
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func readsThreeFormsOfDates(text: String) {
    expectEqual(delay(["Retry-After": text], from: instant - 30), .seconds(30))
    expectEqual(delay(["Retry-After": text], from: instant + 30), .zero)
    expect(delay(["Retry-After": text], from: .distantPast).map { $0 > .seconds(1_000_000) } == true)
  }

  @Test(arguments: [
    "", " ", "-1", "+1", "1.", ".5", "1.2.3", "-1.5", "1e3", "soon", "120, 60", "Sun, 06 Nov 1994", "٣",
    "Sun, 31 Feb 1994 08:49:37 GMT",
  ])
  func refusesTheRest(text: String) {
    expectNil(delay(["Retry-After": text], from: instant))
  }

  @Test func theResponsesOwnDateComesBeforeTheDevicesClock() {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    let now = instant - 10
    expectEqual(delay(["Retry-After": date], from: now), .seconds(10))
    expectEqual(delay(["Retry-After": date, "Date": "Sun, 06 Nov 1994 08:47:37 GMT"], from: now), .seconds(120))
    expectEqual(delay(["retry-after": date, "date": "nonsense"], from: now), .seconds(10))
    expectEqual(delay(["Retry-After": "5", "Date": "Sun, 06 Nov 1994 08:47:37 GMT"], from: now), .seconds(5))
    expectEqual(delay(["Retry-After": "5", "retry-after": "9"], from: now), .seconds(5))
    expectNil(delay(["Retry-After": "nonsense"], from: now))
    expectNil(delay([:], from: now))
  }
}
