import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct JSONNullsTests {
  @Test(
    "S0-8",
    arguments: [
      ("null", "null"), ("1", "1"), ("[]", "[]"), ("{}", "{}"), ("[null]", "[]"), (#"{"a":null}"#, "{}"),
      (#"[null,1,null,null,2,null]"#, "[1,2]"), (#"{"a":null,"b":1,"c":null}"#, #"{"b":1}"#),
      (#"{"a":[null,{"b":null}],"c":{"d":[null]}}"#, #"{"a":[{}],"c":{"d":[]}}"#),
      (#"[[null,[null,[null,1]]],{"a":{"a":{"a":null,"b":2}}}]"#, #"[[[[1]]],{"a":{"a":{"b":2}}}]"#),
      (#"["null",false,0,""]"#, #"["null",false,0,""]"#),
    ])
  func goInObjectsAndArraysOfAnyDepth(_ before: String, _ after: String) throws {
    try expectEqual(JSON(text: before).removingNulls().description, after)
  }

  /// More than any stack holds calls, on a small one.
  @Test("S0-8", arguments: [true, false]) func goFromAThousandLevels(inArrays: Bool) async throws {
    let depth = await onSmallThread {
      let value = nested(1_000, inArrays: inArrays) { inArrays ? [nil, $0, nil] : ["n": nil, "a": $0] }
      let pruned = value.removingNulls()
      expectEqual(pruned, nested(1_000, inArrays: inArrays) { inArrays ? [$0] : ["a": $0] })
      expect(!pruned.description.contains("null"))
      return pruned.depth
    }
    expectEqual(depth, 1_000)
  }
}

private func nested(_ depth: Int, inArrays: Bool, _ wrap: (JSON) -> JSON) -> JSON {
  var value: JSON = inArrays ? [] : [:]
  for _ in 1..<depth { value = wrap(value) }
  return value
}
