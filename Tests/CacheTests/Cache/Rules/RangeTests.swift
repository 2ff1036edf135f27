import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct RangeTests {
  @Test(
    arguments: [
      ("bytes=0-4", 0..<5), ("bytes=9-9", 9..<10), ("bytes=5-", 5..<10), ("bytes=-3", 7..<10), ("bytes=-99", 0..<10),
      ("bytes=5-99", 5..<10), ("bytes=0-9223372036854775806", 0..<10), ("BYTES=0-4", 0..<5), (" bytes = 0 - 4 ", 0..<5),
      ("bytes=00-04", 0..<5),
      ("bytes=10-", nil), ("bytes=10-11", nil), ("bytes=-0", nil), ("bytes=4-3", nil), ("bytes=-", nil),
      ("bytes=", nil),
      ("bytes=0-4,6-7", nil), ("bytes=0-4, ", nil), ("bytes=a-4", nil), ("bytes=0-x", nil), ("bytes=--4", nil),
      ("bytes=+0-4", nil), ("bytes=0--4", nil), ("items=0-4", nil), ("bytes 0-4", nil), ("0-4", nil), ("", nil),
      ("bytes=1.0-4", nil), ("bytes=0-9223372036854775807", nil), ("bytes=99999999999999999999-", nil),
      ("bytes=\u{663}-", nil),
    ] as [(String, Range<Int>?)])
  func parsesOneRange(_ field: String, _ expected: Range<Int>?) {
    expectEqual(ByteRange(field)?.resolved(length: 10), expected)
    expectNil(ByteRange(field)?.resolved(length: 0))
  }

  @Test func anUnknownLengthAllowsABoundedRangeOnly() {
    expectEqual(ByteRange("bytes=2-4")?.resolved(length: nil), 2..<5)
    expectNil(ByteRange("bytes=2-")?.resolved(length: nil))
    expectNil(ByteRange("bytes=-2")?.resolved(length: nil))
  }

  @Test(
    arguments: [
      ("bytes 0-4/10", 0, 4, 10), ("bytes 9-9/10", 9, 9, 10), ("BYTES 0-4/*", 0, 4, nil),
      (" bytes  0 - 4 / 10 ", 0, 4, 10),
      ("bytes 00-04/010", 0, 4, 10),
    ] as [(String, Int, Int, Int?)])
  func parsesTheRangeOfAPart(_ text: String, _ first: Int, _ last: Int, _ length: Int?) throws {
    let range = try require(ContentRange(text))
    expectEqual(range.first, first)
    expectEqual(range.last, last)
    expectEqual(range.length, length)
    expectEqual(range.range, first..<(last + 1))
    expectEqual(range, ContentRange(first: first, last: last, length: length))
    expectEqual(range.text, "bytes \(first)-\(last)/\(length.map(String.init) ?? "*")")
    expectEqual(ContentRange(range.text), range)
  }

  @Test(arguments: [
    "", "bytes", "bytes */10", "bytes */*", "bytes 4-3/10", "bytes 0-10/10", "bytes 0-4", "bytes 0-4/", "bytes 0/10",
    "bytes -4/10", "bytes 0-/10", "bytes=0-4/10", "bytes0-4/10", "items 0-4/10", "0-4/10", "bytes 0-4/x",
    "bytes a-4/10",
    "bytes 0-4/10, bytes 5-9/10", "bytes 0-9223372036854775807/*", "bytes 0-4/99999999999999999999", "/", "-/",
    "bytes/10-4", "bytes 0-4/-10",
  ])
  func refusesTheRest(_ text: String) { expectNil(ContentRange(text)) }

  @Test func aHeaderHasOneRange() {
    expectEqual(ContentRange(["content-range": "bytes 0-4/10"] as HTTPHeaders)?.last, 4)
    expectNil(ContentRange([:] as HTTPHeaders))
    let two: HTTPHeaders = ["Content-Range": "bytes 0-4/10", "content-range": "bytes 0-4/10"]
    expectNil(ContentRange(two))
  }

  @Test func aRangeIsWithinItsLength() {
    expectNil(ContentRange(first: -1, last: 0, length: 1))
    expectNil(ContentRange(first: 1, last: 0, length: 2))
    expectNil(ContentRange(first: 0, last: 1, length: 1))
    expectNil(ContentRange(first: 0, last: .max, length: nil))
  }
}
