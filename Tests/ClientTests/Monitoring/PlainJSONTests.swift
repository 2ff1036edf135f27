import Foundation
import TestSupport
import Testing

@testable import Heliograph

/// The scan that spares parsing: what it lets pass has nothing to redact.
struct PlainJSONTests {
  @Test(arguments: [
    "{}", "[]", "1", "-0.5", "true", "null", #""text""#, #" { "name" : "Lamp" , "price" : 12.5 } "#,
    #"[{"id":7,"at":"2025-04-01T10:00:00Z","email":"ada@example.com"},{"id":8,"url":"https://a.example/b"}]"#,
    #"{"a":["b",{"c":[1,[2]]}]}"#, #"{"a":"Jan eyJ.b"}"#, #"{"name":"é","x":"a, b; c"}"#,
  ])
  func passes(_ text: String) {
    expect(PlainJSON.isPlain(text), "\(text)")
    expectEqual(SecretRedaction().redactedJSON(Data(text.utf8), text), text)
  }

  @Test(arguments: [
    #"{"token":"a"}"#, #"{"a":{"userPIN":1}}"#, #"{"name":"password","value":"a"}"#, #"["token","a"]"#,
    #"["Authorization","a"]"#, #"{"a":"Bearer abc"}"#, #"{"a":"basic abc"}"#, #"{"a":"token=abc"}"#,
    #"{"a":"https://u:p@a.example"}"#, #"{"a":"https://u@a.example"}"#, #"{"a":"//u@a.example"}"#,
    #"{"a":"{\"token\":1}"}"#,
    #"{"a":"eyJhIjoxfQ.e30.c2ln"}"#, #"{"a":"token: 1"}"#, #"{"a":"%74oken"}"#, #"{"\u0074oken":1}"#, #"{"a":"[1]"}"#,
  ])
  func stopsAtWhatMayBeSecret(_ text: String) { expect(!PlainJSON.isPlain(text), "\(text)") }

  @Test(arguments: [
    "", "{", "[1", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "01", "1.", ".5", "+1", "1e5", "tru", "nul", "\"a",
    "\"a\nb\"", "{} {}", "a", "{a:1}", "{\"a\":1 \"b\":2}", "12345678901234567", "token=abc",
    String(repeating: "[", count: 17) + String(repeating: "]", count: 17),
  ])
  func stopsAtWhatIsNotPlainJSON(_ text: String) { expect(!PlainJSON.isPlain(text), "\(text)") }

  /// The order of members and the spaces remain.
  @Test(arguments: [
    (#" { "token" : "a" , "b":1 } "#, #" { "token" : "<redacted>" , "b":1 } "#),
    (
      #"{"b":{"code":[1,{"name":"token","x":"a=b"}],"c":2},"pin":0}"#,
      #"{"b":{"code":"<redacted>","c":2},"pin":"<redacted>"}"#
    ),
    (#"{"a":1,"secret":true,"secret":null}"#, #"{"a":1,"secret":"<redacted>","secret":"<redacted>"}"#),
    (#"{"b":1,"a":[]}"#, #"{"b":1,"a":[]}"#),
  ])
  func redactsInPlace(_ text: String, _ expected: String) {
    expectEqual(PlainJSON.redacted(text), expected)
    expectEqual(text.redactedBody(of: nil), expected)
  }

  @Test(arguments: [
    #"{"token":"a\"b"}"#, #"{"token":[1,}"#, #"{"token":01}"#, #"{"token":"a"} x"#, #"{"token":"a","b":"c=d"}"#,
    #"{"name":"password","value":"a"}"#, #"{"Key":"password","Value":"a"}"#, #"{"token":"#,
  ])
  func redactsNothingInDoubt(_ text: String) { expectNil(PlainJSON.redacted(text)) }

  /// The Kelvin sign is canonically equal to a K, but not the same name.
  @Test func aNameIsNotTakenForOneThatIsEqual() {
    _ = PlainJSON.isPlain("{\"private\u{212A}ey\":1}")
    expect(!PlainJSON.isPlain(#"{"privateKey":"a"}"#))
  }

  /// What it lets pass or redacts at random is what parsing would return.
  @Test func agreesWithParsing() throws {
    var (passedCount, redactedCount) = (0, 0)
    for seed in 0..<(2_000 * Scale.factor) {
      var dice = Dice(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1)
      let text = dice.json(depth: 3)
      guard let redacted = PlainJSON.redacted(text) else { continue }
      let parsed = try JSON(data: Data(redacted.utf8))
      let expected = try require(SecretRedaction().redactedJSON(Data(text.utf8), nil))
      expectEqual(parsed, try JSON(data: Data(expected.utf8)))
      if redacted != text { redactedCount += 1 }
      guard PlainJSON.isPlain(text) else { continue }
      passedCount += 1
      expectEqual(redacted, text)
      expectEqual(SecretRedaction().redactedJSON(Data(text.utf8), text), text)
    }
    expect(passedCount > 100 && redactedCount > 100, "\(passedCount), \(redactedCount)")
  }
}

/// Random JSON, often with names and texts that are secret or nearly so.
private struct Dice {
  var state: UInt64

  private static let words = [
    "name", "id", "key", "token", "pin", "pinned", "author", "auth", "a=b", "a:b", "12:30", "u@a", "http://a/b",
    "https://u:p@a", "Bearer x", "bearing", "code", "value", "values", "sid", "header", "%41", "x", "", "data", "error",
    "eyJh.e30.c2ln", "John",
  ]

  mutating func roll(_ count: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(count))
  }

  private mutating func word() -> String { "\"" + Self.words[roll(Self.words.count)] + "\"" }

  mutating func json(depth: Int) -> String {
    switch roll(depth == 0 ? 4 : 7) {
    case 0: return word()
    case 1: return "\(roll(1_000))"
    case 2: return ["true", "false", "null", "-1.5"][roll(4)]
    case 3: return word()
    case 4: return "[" + (0..<roll(4)).map { _ in json(depth: depth - 1) }.joined(separator: ",") + "]"
    default:
      // Repeated names are normalized by parsing.
      var members: [String: String] = [:]
      for _ in 0..<roll(4) { members[word()] = json(depth: depth - 1) }
      return "{" + members.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}"
    }
  }
}
