import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Names of parameters: their bytes, their coding keys, and their removal.
struct ParameterObjectTests {
  private let composed = "\u{E9}"
  private let decomposed = "e\u{301}"

  /// Swift takes the two for equal; servers and signatures compare bytes.
  @Test func namesAreComparedByTheirBytes() throws {
    let stubbed = Stubbed()
    for extra in [0, 20] {
      var object: ParameterObject = [composed: 1, decomposed: 2]
      for number in 0..<extra { object["n\(number)"] = .integer(Int64(number)) }
      object[decomposed] = 3
      expectEqual(object.count, extra + 2)
      expectEqual(object[composed], 1)
      expectEqual(object[decomposed], 3)
      expect(object != ParameterObject(object.map { ($0.name == composed ? composed : $0.name, $0.value) }))
      object[composed] = nil
      expectEqual(object[decomposed], 3)
      expectEqual(object.count, extra + 1)
    }
    let target = try stubbed.target(Request(.get, "/a", parameters: [composed: 1, decomposed: 2]))
    expectEqual(target, "/a?%C3%A9=1&e%CC%81=2")
  }

  /// As `JSONEncoder` does, which has one name for both.
  @Test func codingKeysOfOneFormAreSentOnce() throws {
    struct Page: Encodable, Sendable {
      enum CodingKeys: String, CodingKey {
        case camel = "pageSize"
        case snake = "page_size"
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(1, forKey: .camel)
        try container.encode(2, forKey: .snake)
      }
    }
    let json = JSONCoding(keys: .snakeCase)
    let encoded = try json.makeEncoder().encode(Page())
    let stubbed = Stubbed { $0.json = json }
    let post = Request(.post, "/a", parameters: Parameters(Page()), options: .with { $0.placement = .json })
    try expectEqual(stubbed.client.httpRequest(for: post).text, String(decoding: encoded, as: UTF8.self))
    try expectEqual(stubbed.target(Request(.get, "/a", parameters: Parameters(Page()))), "/a?page_size=2")
  }

  /// Against the plainest collection, over all sizes at which the index appears and disappears.
  @Test func removalKeepsTheOrderAndTheIndex() {
    var dice = ParameterDice()
    var object = ParameterObject()
    var model: [(name: String, value: ParameterValue)] = []
    for step in 0..<20_000 {
      let name = "n\(dice.count(dice.count(5) == 0 ? 300 : 25))"
      let value: ParameterValue? = step / 500 % 2 == 0 || dice.count(3) == 0 ? .integer(Int64(step)) : nil
      object[name] = value
      let place = model.firstIndex { $0.name == name }
      switch (place, value) {
      case (let place?, let value?): model[place].value = value
      case (let place?, nil): model.remove(at: place)
      case (nil, let value?): model.append((name, value))
      case (nil, nil): break
      }
      let probe = "n\(dice.count(25))"
      expectEqual(object[probe], model.first { $0.name == probe }?.value, "seed \(dice.seed)")
      expectEqual(object.count, model.count, "seed \(dice.seed)")
    }
    expectEqual(object.map(\.name), model.map(\.name), "seed \(dice.seed)")
  }

  /// It took 7 ms for each of 20,000.
  @Test func removalFromManyIsNoRebuilding() {
    let factor = growth(from: 1_000, to: 16_000) { count in
      var object = ParameterObject((0..<count).map { ("n\($0)", .integer(Int64($0))) })
      for number in 0..<(count / 10) { object["n\(number * 7)"] = nil }
      expectEqual(object.count, count - count / 10)
      expectEqual(object["n71"], 71)
      expectNil(object["n70"])
    }
    expect(factor < 64, "\(factor)")
  }
}
