import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct EntityTagTests {
  @Test(arguments: [
    ("\"a\"", "\"a\"", false), ("W/\"a\"", "\"a\"", true), ("w/\"a\"", "\"a\"", true), (" \"a\"\t", "\"a\"", false),
    ("\"\"", "\"\"", false), ("\"a,b\"", "\"a,b\"", false), ("\"a\\\"", "\"a\\\"", false), ("a", "a", true),
    ("W/a", "W/a", true), ("\"\u{E9}\"", "\"\u{E9}\"", false), ("\"a b\"", "\"a b\"", false),
  ])
  func parsesATag(_ text: String, _ opaque: String, _ isWeak: Bool) throws {
    let tag = try require(EntityTag(text))
    expectEqual(tag.opaque, opaque)
    expectEqual(tag.isWeak, isWeak)
  }

  @Test(arguments: ["", " ", "\"", "\"a", "a\"", "\"a\"b", "\"a\", \"b\"", "\"a\"\"b\"", "W/\"a", ",", "W/\""])
  func refusesTheRest(_ text: String) { expectNil(EntityTag(text)) }

  @Test(
    arguments: [
      ("\"a\"", ["\"a\""]), ("\"a\", W/\"b\"", ["\"a\"", "\"b\""]), (" , \"a\",,\"b\" ,", ["\"a\"", "\"b\""]),
      ("\"a,b\",\"c\"", ["\"a,b\"", "\"c\""]), ("a, \"b\"", ["a", "\"b\""]), ("\"a\"x, \"b\"", ["\"b\""]), ("", []),
      ("\"a", []), ("x\"a, \"b\"", ["\"b\""]), (",", []),
    ] as [(String, [String])])
  func parsesAList(_ text: String, _ opaque: [String]) {
    expectEqual(EntityTag.list(text).map(\.opaque), opaque)
  }

  /// The table of RFC 9110 §8.8.3.2, and a tag without quotation marks.
  @Test(arguments: [
    ("W/\"1\"", "W/\"1\"", true, false), ("W/\"1\"", "W/\"2\"", false, false), ("W/\"1\"", "\"1\"", true, false),
    ("\"1\"", "\"1\"", true, true), ("1", "1", true, false), ("1", "\"1\"", false, false),
    ("\"a\"", "\"A\"", false, false),
  ])
  func comparesWeaklyAndStrongly(_ one: String, _ other: String, _ isWeak: Bool, _ isStrong: Bool) throws {
    let (one, other) = (try require(EntityTag(one)), try require(EntityTag(other)))
    expectEqual(one.matchesWeakly(other), isWeak)
    expectEqual(other.matchesWeakly(one), isWeak)
    expectEqual(one.matchesStrongly(other), isStrong)
    expectEqual(other.matchesStrongly(one), isStrong)
  }
}

struct PreconditionTests {
  @Test(
    arguments: [
      ([:], nil), (["If-None-Match": "\"a\""], true), (["If-None-Match": "W/\"a\""], true),
      (["If-None-Match": "\"b\", \"a\""], true), (["If-None-Match": "\"b\"", "if-none-match": "\"a\""], true),
      (["If-None-Match": "*"], true), (["If-None-Match": " * "], true), (["If-None-Match": "\"b\""], false),
      (["If-None-Match": "a"], false), (["If-None-Match": ""], false), (["If-None-Match": "\"*\""], false),
      (["If-None-Match": "\"b\"", "If-Modified-Since": date(0)], false),
      (["If-None-Match": "\"a\"", "If-Modified-Since": date(-1_000)], true),
      (["If-Modified-Since": date(-100)], true), (["If-Modified-Since": date(0)], true),
      (["If-Modified-Since": date(-101)], false), (["If-Modified-Since": "x"], false),
      (["If-Modified-Since": ""], false),
      (["If-Modified-Since": date(0), "if-modified-since": date(0)], false),
      (["If-Match": "\"a\""], nil), (["If-Unmodified-Since": date(0)], nil),
      (["If-Match": "\"a\"", "If-None-Match": "\"a\""], nil), (["Range": "bytes=0-1", "If-Range": "\"a\""], nil),
    ] as [(HTTPHeaders, Bool?)])
  func aStoredResponseAnswersAConditionalRequest(_ request: HTTPHeaders, _ expected: Bool?) {
    let head = CachedHead(["ETag": "\"a\"", "Last-Modified": date(-100), "Date": date(0)])
    expectEqual(Precondition.isNotModified(request: request, stored: head), expected)
    expectEqual(request.isConditional, !(request.isEmpty))
  }

  @Test func withoutAModificationDateTheDateCounts() {
    func isNotModified(_ fields: HTTPHeaders, since seconds: Double) -> Bool? {
      Precondition.isNotModified(request: ["If-Modified-Since": date(seconds)], stored: CachedHead(fields))
    }
    expectEqual(isNotModified(["Date": date(-50)], since: -50), true)
    expectEqual(isNotModified(["Date": date(-50)], since: -51), false)
    expectEqual(isNotModified(["Date": date(-50), "Last-Modified": "x"], since: -50), true)
    expectEqual(isNotModified([:], since: 0), true)
    expectEqual(isNotModified([:], since: -1), false)
  }

  @Test func withoutAnEntityTagNoneMatches() {
    let head = CachedHead(["Last-Modified": date(-100)])
    expectEqual(Precondition.isNotModified(request: ["If-None-Match": "\"a\""], stored: head), false)
    expectEqual(Precondition.isNotModified(request: ["If-None-Match": "*"], stored: head), true)
  }

  @Test func onlyRepresentationsAreCompared() {
    for status in [204, 301, 404] {
      let head = CachedHead(["ETag": "\"a\"", "Last-Modified": date(-100)], status: status)
      expectEqual(Precondition.isNotModified(request: ["If-None-Match": "\"a\""], stored: head), false)
      expectEqual(Precondition.isNotModified(request: ["If-Modified-Since": date(0)], stored: head), false)
    }
  }

  @Test(
    arguments: [
      ([:], [:]), (["ETag": "\"a\""], ["If-None-Match": "\"a\""]),
      (["etag": " W/\"a\" "], ["If-None-Match": "W/\"a\""]),
      (["ETag": "a"], ["If-None-Match": "a"]), (["ETag": ""], [:]),
      (["Last-Modified": "x"], ["If-Modified-Since": "x"]),
      (["ETag": "\"a\"", "Last-Modified": "x"], ["If-None-Match": "\"a\"", "If-Modified-Since": "x"]),
      (["ETag": "\"a\"", "Etag": "\"b\""], ["If-None-Match": "\"a\""]),
    ] as [(HTTPHeaders, HTTPHeaders)])
  func validatorsAreSentAsReceived(_ response: HTTPHeaders, _ request: HTTPHeaders) {
    expectEqual(CachedHead(response).conditionalFields, request)
    expectEqual(CachedHead(response).hasValidator, !request.isEmpty)
  }

  @Test(
    arguments: [
      (nil, true), ("\"a\"", true), ("\"b\"", false), ("W/\"a\"", false), ("a", false), ("", false),
      ("\"a\", \"b\"", false), (date(-100), true), (date(-99), false), (date(-101), false), ("Wed", false),
    ] as [(String?, Bool)])
  func aRangeNeedsAStrongValidator(_ condition: String?, _ isAllowed: Bool) {
    let head = CachedHead(["ETag": "\"a\"", "Last-Modified": date(-100), "Date": date(0)])
    expectEqual(head.allowsRange(ifRange: condition), isAllowed)
    let weak = CachedHead(["ETag": "W/\"a\"", "Last-Modified": date(-100), "Date": date(-100)])
    expectEqual(weak.allowsRange(ifRange: condition), (condition == nil))
    expectEqual(CachedHead([:]).allowsRange(ifRange: condition), (condition == nil))
  }
}
