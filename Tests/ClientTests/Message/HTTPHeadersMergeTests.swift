import TestSupport
import Testing

@testable import Heliograph

struct HTTPHeadersMergeTests {
  /// Few are compared one by one, many by a set of their names.
  @Test(arguments: [2, 200]) func receivedValuesReplaceAllOfTheSameNames(_ count: Int) {
    func add(_ numbers: Range<Int>, _ upper: String, _ lower: String, to headers: inout HTTPHeaders) {
      for number in numbers {
        headers.add(upper, for: "X-\(number)")
        headers.add(lower, for: "x-\(number)")
      }
    }
    var (headers, received) = (HTTPHeaders(), HTTPHeaders())
    add(0..<count, "a", "b", to: &headers)
    add(1..<(count + 1), "c", "d", to: &received)
    headers.merge(received)
    expectEqual(headers.count, 2 * (count + 1))
    expectEqual(headers["X-0"], "a, b")
    for number in 1...count { expectEqual(headers["X-\(number)"], "c, d") }
  }

  /// Canonically equivalent texts differ as sent; to find equivalent ones takes quadratic time.
  @Test func valuesAreComparedAndHashedByTheirBytes() {
    let composed: HTTPHeaders = ["ETag": "\"\u{E9}\"", "X": "1"]
    let decomposed: HTTPHeaders = ["X": "1", "ETag": "\"e\u{301}\""]
    expect(composed != decomposed)
    expectEqual(composed, ["X": "1", "etag": "\"\u{E9}\""])
    let marks = String(repeating: "\u{301}\u{316}", count: 50_000)
    let long: HTTPHeaders = ["ETag": "e" + marks, "X": "1"]
    expectEqual(Set([long, ["x": "1", "etag": "e" + marks]]).count, 1)
    let request = Request(
      .post, RequestPath("/a?next=" + marks), parameters: ["cursor": marks], body: .form(["cursor": marks]))
    expectEqual(PageFingerprint(request), PageFingerprint(request))
  }

  @Test func theWorkOfAMergeIsProportionalToTheFields() {
    let factor = growth(from: 100, to: 2_000) { count in
      var headers = HTTPHeaders((0..<count).map { HTTPHeaders.Field(name: "X-\($0 + 10_000)", value: "a") })
      headers.merge(HTTPHeaders((0..<count).map { HTTPHeaders.Field(name: "Y-\($0 + 10_000)", value: "b") }))
      expectEqual(headers.count, 2 * count)
    }
    expect(factor < 70, "\(factor)")
  }
}
