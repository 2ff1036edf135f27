import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

/// What holds for any parameters; a failure names the seed.
struct ParameterPropertyTests {
  private static let count = 10_000

  /// Swift compares strings by canonical equivalence; the bytes must be the same.
  private func isSame(_ left: [ParameterPair], _ right: [ParameterPair]) -> Bool {
    left.elementsEqual(right) { left, right in
      left.name.utf8.elementsEqual(right.name.utf8) && (left.value == nil) == (right.value == nil)
        && (left.value ?? "").utf8.elementsEqual((right.value ?? "").utf8)
    }
  }

  private static func isMarked(_ text: String) -> Bool { text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) }

  @Test func queryThatURLComponentsReadsIsTheOneThatWasWritten() throws {
    var dice = ParameterDice()
    for _ in 0..<Self.count {
      var pairs = dice.pairs() + [ParameterPair("last", nil)]
      pairs.shuffle(using: &dice)
      var components = URLComponents()
      components.host = "a.example"
      components.percentEncodedQuery = PercentEncoding.query.encode(pairs)
      let found = (components.queryItems ?? []).map { ParameterPair($0.name, $0.value) }
      // URLComponents takes a byte order mark at the start of a text for none of its characters.
      let hasMark = pairs.contains { Self.isMarked($0.name) || Self.isMarked($0.value ?? "") }
      if !isSame(found, pairs), !hasMark { Issue.record("seed \(dice.seed): \(pairs) came back as \(found)") }
      // It stays as it is inside of an address.
      let url = try require(URL(string: "https://a.example/?" + PercentEncoding.query.encode(pairs)))
      if url.query(percentEncoded: true) != PercentEncoding.query.encode(pairs) { Issue.record("seed \(dice.seed)") }
    }
  }

  @Test func formThatTheStandardsParserReadsIsTheOneThatWasWritten() throws {
    var dice = ParameterDice()
    for _ in 0..<Self.count {
      let pairs = dice.pairs()
      let found = try require(FormParser.parse(PercentEncoding.form.bytes(pairs)), "seed \(dice.seed)")
      if !isSame(found, pairs) { Issue.record("seed \(dice.seed): \(pairs) came back as \(found)") }
    }
    expectEqual(
      FormParser.parse(PercentEncoding.form.bytes([.init("a", nil), .init("b", "")])),
      [
        .init("a", ""), .init("b", ""),
      ])
  }

  @Test func pairsReadBackAreTheValuesThatWereWritten() throws {
    var dice = ParameterDice()
    let rules = ParameterRules(arrays: .indices, nulls: .empty)
    for _ in 0..<Self.count {
      let object = dice.object(levels: 4, namesWithout: "[]")
      let pairs = try rules.pairs(Parameters(object))
      let found = try require(FormParser.parse(PercentEncoding.form.bytes(pairs)), "seed \(dice.seed)")
      let tree = Tree(found)
      if !tree.matches(.object(object)) { Issue.record("seed \(dice.seed): \(object) came back as \(tree)") }
    }
  }

  @Test func jsonReadBackIsWhatWasWritten() throws {
    var dice = ParameterDice()
    for _ in 0..<Self.count {
      let object = dice.object(levels: 4)
      let json = try ParameterRules().json(Parameters(object))
      let found = try JSONDecoder().decode(Decoded.self, from: json)
      if !found.matches(.object(object)) {
        Issue.record("seed \(dice.seed): \(object) was written as \(String(decoding: json, as: UTF8.self))")
      }
      // The other parser of Foundation takes it, too, and has the same number of names.
      let dictionary = try JSONSerialization.jsonObject(with: json) as? [String: Any]
      if dictionary?.count != object.count { Issue.record("seed \(dice.seed)") }
    }
  }

  @Test func sameParametersGiveTheSameBytes() throws {
    for _ in 0..<1_000 {
      var dice = ParameterDice()
      var twin = ParameterDice(seed: dice.seed)
      let (first, second) = (Parameters(dice.object(levels: 4)), Parameters(twin.object(levels: 4)))
      try expectEqual(ParameterRules().json(first), ParameterRules().json(second))
      let (one, other) = (try ParameterRules().pairs(first), try ParameterRules().pairs(second))
      expectEqual(PercentEncoding.query.bytes(one), PercentEncoding.query.bytes(other))
      // The order makes no difference to JSON.
      let shuffled = ParameterObject(try first.object().shuffled(using: &dice).map { ($0.name, $0.value) })
      try expectEqual(ParameterRules().json(Parameters(shuffled)), ParameterRules().json(first), "seed \(dice.seed)")
    }
  }
}
