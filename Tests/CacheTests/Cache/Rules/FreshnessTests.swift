import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

extension CachedHead {
  /// The freshness lifetime; `nil` if the response has none.
  fileprivate var given: Duration? { lifetime(under: cacheControl) }
}

struct FreshnessTests {
  @Test(arguments: [
    ("max-age=60", 60), ("max-age=0", 0), ("max-age=\"60\"", 60), ("max-age=-1", 0), ("max-age=1.5", 0),
    ("max-age=", 0), ("max-age=99999999999999", 2_147_483_647), ("max-age=60, max-age=1", 60),
  ])
  func maxAgeIsExplicit(_ directives: String, _ seconds: Int) {
    let head = CachedHead(directives, ["Expires": date(1_000), "Last-Modified": date(-1_000_000)])
    expectEqual(head.given, .seconds(seconds))
  }

  @Test(arguments: [
    (date(60), 60), (date(0), 0), (date(-60), 0), (date(2e9), 2_000_000_000), ("0", 0), ("", 0), ("-1", 0),
    ("tomorrow", 0), ("Thursday, 01-Jan-26 00:01:00 GMT", 60), ("Thu Jan  1 00:01:00 2026", 60),
    ("thu, 01 jan 2026 00:01:00 gmt", 60),
    // Formats that are not those of the standard are in the past (RFC 9111 §4.2, §5.3).
    ("Thu, 01 Jan 2026 00:01:00 UTC", 0), ("Thu, 1 Jan 2026 00:01:00 GMT", 0), ("Thu, 01 Jan 2026 0:01:00 GMT", 0),
    ("Thu 01 Jan 2026 00:01:00 GMT", 0), ("Thu, 01-Jan-2026 00:01:00 GMT", 0),
    ("Thu, 01 Jan 26 00:01:00 GMT", 0), ("Thu, 01 Jan 2026 00.01.00 GMT", 0), ("Thu,  01 Jan 2026 00:01:00 GMT", 0),
    ("Thu, 01 Jan 2026 00:01:00 AEST", 0), ("2026-01-01T00:01:00Z", 0), ("60", 0),
  ])
  func expiresIsExplicit(_ expires: String, _ seconds: Int) {
    let head = CachedHead("x", ["Expires": expires, "Last-Modified": date(-1_000_000)])
    expectEqual(head.given, .seconds(seconds))
  }

  @Test func expiresIsRelativeToDate() {
    let behind = CachedHead(["Date": date(-3_600), "Expires": date(-3_540)])
    expectEqual(behind.lifetime, .seconds(60))
    for missing: HTTPHeaders in [["Expires": date(60)], ["Expires": date(60), "Date": "now"]] {
      expectEqual(CachedHead(missing).given, .seconds(60))
    }
  }

  @Test func severalExpiresLinesAreStale() {
    let head = CachedHead(["Expires": date(60), "expires": date(60)])
    expectEqual(head.given, .zero)
  }

  @Test(arguments: [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501])
  func someStatusesHaveAHeuristicLifetime(_ status: Int) {
    let head = CachedHead(["Date": date(0), "Last-Modified": date(-1_000)], status: status)
    expectEqual(head.given, .seconds(100))
  }

  @Test(arguments: [201, 202, 302, 303, 307, 400, 403, 500, 502, 503, 504, 599])
  func otherStatusesNeedADirective(_ status: Int) {
    let fields: HTTPHeaders = ["Last-Modified": date(-1_000)]
    expectNil(CachedHead(fields, status: status).given)
    for directive in ["public", "private", "private=\"a\""] {
      let marked = CachedHead(directive, fields, status: status)
      expectEqual(marked.given, .seconds(100))
    }
  }

  @Test func theHeuristicLifetimeIsATenthUpToAWeek() {
    func lifetime(_ fields: HTTPHeaders) -> Duration { CachedHead(fields).lifetime }
    expectEqual(lifetime(["Last-Modified": date(-1e9)]), .seconds(604_800))
    expectEqual(lifetime(["Last-Modified": date(60)]), .zero)
    expectEqual(lifetime(["Last-Modified": date(-1_000), "Date": date(-500)]), .seconds(50))
    expectEqual(lifetime(["Last-Modified": "x"]), .zero)
    expectNil(CachedHead([:]).given)
    expectNil(CachedHead(["Last-Modified": "x"]).given)
    // A lenient date is good enough for an estimate.
    expectEqual(lifetime(["Last-Modified": "31 Dec 2025 23:43:20 UTC"]), .seconds(100))
  }
}

struct AgeTests {
  private func age(_ fields: HTTPHeaders, delay: Double = 0, at seconds: Double = 0) -> Duration {
    CachedHead(statusCode: 200, headers: fields, requestedAt: stored - delay, receivedAt: stored).age(
      at: stored + seconds)
  }

  @Test func theAgeGrowsWithTheClock() {
    expectEqual(age(["Date": date(0)]), .zero)
    expectEqual(age(["Date": date(0)], at: 60), .seconds(60))
    expectEqual(age([:], at: 60.5), .milliseconds(60_500))
  }

  @Test func aClockThatWasSetBackDoesNotMakeItSmaller() {
    expectEqual(age(["Date": date(0)], at: -1_000), .zero)
    expectEqual(age(["Date": date(0), "Age": "30"], delay: 2, at: -1_000), .seconds(32))
  }

  @Test(arguments: [
    ("30", 30), ("0", 0), ("030", 30), (" 30 ", 30), ("30, 60", 30), (", 30", 30), ("0, 60", 0),
    ("99999999999999", 2_147_483_647), ("", 0), ("x", 0), ("-30", 0), ("+30", 0), ("30.0", 0), ("30s", 0),
    ("s30", 0), ("30;x=1", 0), ("\"30\"", 0), ("x, 30", 0), ("3 0", 0),
  ])
  func theFirstValidMemberOfAgeCounts(_ text: String, _ seconds: Int) {
    expectEqual(age(["Age": text]), .seconds(seconds))
  }

  @Test func theFirstLineOfAgeCounts() {
    expectEqual(age(["Age": "10", "age": "20"]), .seconds(10))
    expectEqual(age(["Age": "x", "age": "20"]), .zero)
  }

  @Test func theDelayOfTheResponseCounts() {
    expectEqual(age(["Age": "10"], delay: 5), .seconds(15))
    expectEqual(age(["Age": "10"], delay: 5, at: 7), .seconds(22))
    expectEqual(age(["Age": "10"], delay: -5), .seconds(10))
  }

  @Test func anOldDateCounts() {
    expectEqual(age(["Date": date(-100), "Age": "10"]), .seconds(100))
    expectEqual(age(["Date": date(-10), "Age": "100"]), .seconds(100))
    expectEqual(age(["Date": date(100)]), .zero)
    expectEqual(age(["Date": "x"]), .zero)
  }

  @Test func theMissingFractionOfDateDoesNotCount() {
    let head = CachedHead(
      statusCode: 200, headers: ["Date": date(0)], requestedAt: stored + 0.8, receivedAt: stored + 0.9)
    expect(head.age(at: stored + 0.9) < .milliseconds(101))
  }

  @Test func datesThatAreNotFiniteDoNoHarm() {
    for seconds in [Double.nan, .infinity, -.infinity, 1e300] {
      let time = Date(timeIntervalSince1970: seconds)
      let head = CachedHead(statusCode: 200, headers: ["Last-Modified": date(0)], requestedAt: time, receivedAt: time)
      expect(head.age(at: stored) >= .zero)
      expect(head.age(at: time) >= .zero)
      expect(head.lifetime >= .zero)
    }
  }
}
