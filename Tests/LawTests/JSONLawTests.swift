import Foundation
import Heliograph
import Testing

struct JSONLawTests {
  @Test func equalValuesHashAlike() {
    var pick = Pick()
    var equalPairs = 0
    for _ in 0..<10_000 {
      let (left, right, third) = (pick.json(2), pick.json(2), pick.json(2))
      if let broken = Laws.broken(by: left, right, third) { Issue.record("seed \(pick.seed): \(broken)") }
      if left == right { equalPairs += 1 }
    }
    #expect(equalPairs > 0 && equalPairs < 10_000)
  }

  @Test func writingAndReadingGivesTheSame() throws {
    var pick = Pick()
    for _ in 0..<2_000 {
      let value = pick.json(4)
      let text = Data(value.description.utf8)
      #expect(try JSON(data: text) == value, "seed \(pick.seed)")
      #expect(try JSONDecoder().decode(JSON.self, from: text) == value, "seed \(pick.seed)")
      #expect(try JSON(data: JSONEncoder().encode(value)) == value, "seed \(pick.seed)")
    }
  }

  @Test func whatHasNoNullsStaysAndPruningTwiceIsPruningOnce() {
    var pick = Pick()
    for _ in 0..<2_000 {
      let value = pick.json(4)
      let pruned = value.removingNulls()
      #expect(pruned.removingNulls() == pruned, "seed \(pick.seed)")
      #expect(pruned.isNull || !pruned.hasNull, "seed \(pick.seed)")
      #expect(value.hasNull || pruned == value, "seed \(pick.seed)")
    }
  }

  /// Many are no JSON: both must say so, and of the same ones.
  @Test func agreesWithFoundationOnWhatIsJSON() {
    var pick = Pick()
    var goodCount = 0
    for _ in 0..<5_000 {
      let data = pick.mutated(pick.json(3))
      let own = try? JSON(data: data)
      // It takes an old error for one of its own.
      errno = 0
      let foundation = try? JSONDecoder().decode(JSON.self, from: data)
      if own != nil { goodCount += 1 }
      if own == nil, foundation != nil, data.hasLooseComma || data.hasRepeatedName { continue }
      // Foundation refuses numbers that are too small.
      if foundation == nil, own?.hasZero == true { continue }
      #expect(own?.rounded == foundation?.rounded, "seed \(pick.seed): \(data.base64EncodedString())")
    }
    #expect(goodCount > 100 && goodCount < 4_900)
  }
}

extension Data {
  /// Whether a comma is before an end: Foundation does not mind.
  fileprivate var hasLooseComma: Bool {
    String(decoding: self, as: UTF8.self).contains(/,\s*[\]}]/)
  }

  /// Whether a name seems to be there twice: Foundation does not look at the later value, be it JSON or not.
  fileprivate var hasRepeatedName: Bool {
    let names = String(decoding: self, as: UTF8.self).matches(of: /"([^"]*)"\s*:/).map { String($0.output.1) }
    return Set(names).count < names.count
  }
}

extension JSON {
  /// With `Double`s only: Foundation takes some large numbers with an exponent by their digits.
  fileprivate var rounded: JSON {
    switch self {
    case .array(let elements): .array(elements.map(\.rounded))
    case .object(let members): .object(members.mapValues(\.rounded))
    default: double.map { .number($0) } ?? self
    }
  }

  fileprivate var hasZero: Bool {
    switch self {
    case .array(let elements): elements.contains { $0.hasZero }
    case .object(let members): members.values.contains { $0.hasZero }
    default: double == 0
    }
  }

  fileprivate var hasNull: Bool {
    switch self {
    case .null: true
    case .array(let elements): elements.contains { $0.hasNull }
    case .object(let members): members.values.contains { $0.hasNull }
    default: false
    }
  }
}

extension Pick {
  /// Any value up to so many levels; from a small domain, so that many are equal.
  fileprivate mutating func json(_ depth: Int) -> JSON {
    switch Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &self) {
    case 0: return nil
    case 1: return .bool(Bool.random(using: &self))
    case 2: return .integer(one(of: [0, 1, -1, 1 << 53, 1 << 53 + 1, .max, .min]))
    case 3: return .unsigned(one(of: [0, 1, 1 << 63, .max]))
    case 4: return .number(one(of: [0, -0.0, 1, 0.5, 0x1p53, 0x1p63, -0x1p63, 0x1p64, 1e300, .leastNonzeroMagnitude]))
    case 5: return .string(one(of: ["", "a", "é", "e\u{301}", "1", "\"\\/\n\0😀\u{2028}"]))
    case 6: return .string(text())
    case 7: return .array((0..<Int.random(in: 0...3, using: &self)).map { _ in json(depth - 1) })
    default:
      let names = (0..<Int.random(in: 0...3, using: &self)).map { _ in one(of: ["a", "b", "é", ""]) }
      return .object(Dictionary(names.map { ($0, json(depth - 1)) }) { $1 })
    }
  }

  /// The text of a value with some bytes changed, put in or left out.
  fileprivate mutating func mutated(_ value: JSON) -> Data {
    var bytes = Array(value.description.utf8)
    let pieces = #"[]{},:"\ueE+-.0123456789abtfnrl \#u{0}\#n\#u{FFFD}"#
    for _ in 0..<Int.random(in: 0...2, using: &self) where !bytes.isEmpty {
      let place = Int.random(in: bytes.indices, using: &self)
      switch Int.random(in: 0..<4, using: &self) {
      case 0: bytes.remove(at: place)
      case 1: bytes[place] = one(of: Array(pieces.utf8))
      case 2: bytes.insert(one(of: Array(pieces.utf8)), at: place)
      default: bytes[place] = UInt8.random(in: 0...255, using: &self)
      }
    }
    return Data(bytes)
  }
}
