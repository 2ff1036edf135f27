import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

struct VaryFieldsTests {
  private func vary(_ lines: String...) -> VaryFields? {
    VaryFields(response: HTTPHeaders(lines.map { HTTPHeaders.Field(name: "vary", value: $0) }))
  }

  /// Returns whether two requests with these values of a field get the same response.
  private func areEqual(_ name: String, _ one: [String], _ other: [String]) throws -> Bool {
    let vary = try require(self.vary(name))
    func values(_ lines: [String]) -> [String] {
      vary.values(in: HTTPHeaders(lines.map { HTTPHeaders.Field(name: name, value: $0) }))
    }
    return values(one) == values(other)
  }

  @Test func namesAreSortedAndUnique() {
    expectEqual(vary()?.names, [])
    expectEqual(vary("")?.names, [])
    expectEqual(vary(" ,, ")?.names, [])
    expectEqual(vary("Foo, ACCEPT ,accept", "X,foo")?.names, ["accept", "foo", "x"])
    expectEqual(vary("Foo"), vary("foo", "FOO"))
    expectEqual(vary("*a")?.names, ["*a"])
  }

  @Test(arguments: ["*", "Foo, *", "*, Foo", " * ", ",*,"]) func aStarMatchesNothing(_ text: String) {
    expectNil(vary(text))
    expectNil(vary("Foo", text))
  }

  @Test(arguments: ["a b", "\u{E4}", "a\u{301}\u{323}", "\"a\"", "Foo, b=c"]) func whatIsNoNameMatchesNothing(
    _ text: String
  ) {
    expectNil(vary(text))
  }

  /// Some thousand names would take a look-up as long as other requests of the client wait.
  @Test func moreThan64NamesMatchNothing() {
    func names(_ count: Int) -> String { (0..<count).map { "X-\($0)" }.joined(separator: ", ") }
    expectEqual(vary(names(64), names(64))?.names.count, 64)
    expectNil(vary(names(65)))
    expectNil(vary(names(64), "X-64"))
  }

  @Test func thereIsAValueForEachName() throws {
    let request: HTTPHeaders = ["FOO": "1", "Other": "2", "Bar": ""]
    try expectEqual(require(vary("Foo, Bar, Baz")).values(in: request), ["=", "", "=1"])
    try expectEqual(require(vary()).values(in: request), [])
  }

  @Test(arguments: [
    (["a"], ["a"]), (["a", "b"], ["a, b"]), (["a,b"], ["a, b"]), ([" a "], ["a"]), (["a\t,\t b"], ["a,b"]),
    (["a=\"1, 2\",b"], ["a=\"1, 2\"", "b"]), (["a,,b"], ["a,b"]),
  ])
  func linesAndWhitespaceDoNotCount(_ one: [String], _ other: [String]) throws {
    for name in ["Foo", "Accept-Language", "Authorization"] { try expect(areEqual(name, one, other)) }
  }

  @Test(
    arguments: [
      (["a"], ["b"]), (["a"], []), ([""], []), (["a"], ["A"]), (["a, b"], ["b, a"]), (["a"], ["a, a"]),
      (["a b"], ["ab"]),
      (["a=\"1, 2\""], ["a=\"1,2\""]), (["a;q=1"], ["a"]), (["a ; b"], ["a;b"]), (["=a"], ["a"]), (["a"], ["a, b"]),
    ] as [([String], [String])])
  func otherDifferencesCount(_ one: [String], _ other: [String]) throws {
    try expect(!areEqual("Foo", one, other))
  }

  @Test(arguments: [
    ("Accept-Language", "en, de", "de, en"), ("Accept-Language", "EN-gb", "en-GB"),
    ("Accept-Language", "en;q=1.0, de;q=0.50", "de ; q=0.5,en"), ("Accept-Language", "en, de;Q=0.500", "de;q=0.5, en"),
    ("Accept-Language", "en;q=1.000", "en"), ("Accept-Language", "en, en", "en"),
    ("Accept-Language", "en;q=0.0", "en;q=0"),
    ("Accept-Encoding", "gzip, deflate, br", "BR,GZIP,deflate"), ("Accept-Charset", "UTF-8, *;q=0", "*;q=0, utf-8"),
    ("Accept", "Text/HTML, */*;q=0.8", "*/*;q=0.8,text/html"), ("Accept", "a/b, ;", "a/b;"),
    ("Accept", "text/html; level=1", "text/html;Level=1"),
    ("Accept", "text/plain;charset=UTF-8", "text/plain; charset=utf-8"),
  ])
  func preferencesHaveNoOrderAndNoCase(_ name: String, _ one: String, _ other: String) throws {
    try expect(areEqual(name, [one], [other]))
  }

  @Test(arguments: [
    ("Accept-Language", "en, de", "en"), ("Accept-Language", "en;q=0.5", "en"),
    ("Accept-Language", "en;q=0.5", "en;q=0.6"),
    ("Accept-Language", "en;q=0", "en"), ("Accept-Language", "en", "en-gb"), ("Accept", "a/b;c=D", "a/b;c=d"),
    ("Accept", "a/b;c=\"x;q=1\"", "a/b;c=\"x\""), ("Accept", "a/b;c=\"x, y\"", "a/b;c=\"x,y\""),
    ("Accept", "a/b;c=1;q=0.5", "a/b;c=2;q=0.5"), ("Accept", "*/*", ""), ("Accept-Encoding", "gzip", "identity"),
    ("Accept", "a/b;q=0.5", "a/b;q=0.05"), ("Accept", "a/b;q=10", "a/b;q=1"), ("Accept", "a/b;q=", "a/b;q=0"),
  ])
  func otherPreferencesDiffer(_ name: String, _ one: String, _ other: String) throws {
    try expect(!areEqual(name, [one], [other]))
  }

  @Test func aMissingFieldIsNotAnEmptyOne() throws {
    for name in ["Foo", "Accept"] { try expect(!areEqual(name, [], [""])) }
    for name in ["Foo", "Accept"] { try expect(areEqual(name, [","], [""])) }
  }
}
