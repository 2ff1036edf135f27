import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct ParameterEncoderTests {
  private func object(_ value: some Encodable & Sendable) throws -> ParameterObject {
    try Parameters(value).object()
  }

  private func whole(_ value: some Encodable & Sendable) throws -> ParameterValue { .object(try object(value)) }

  @Test("S3-8") func propertiesKeepTheirOrderAndNames() throws {
    let search = Search(text: "lamp", page: 2, tags: ["b", "a"], shop: nil, size: .init(width: 1.5, height: 0.1))
    try expectEqual(
      whole(search),
      [
        "q": "lamp", "page": 2, "tags": ["b", "a"], "size": ["width": 1.5, "height": 0.1], "kind": "new",
      ])
    let pairs = try ParameterRules().pairs(Parameters(search)).map { "\($0.name)=\($0.value ?? "")" }
    expectEqual(pairs, ["q=lamp", "page=2", "tags[]=b", "tags[]=a", "size[width]=1.5", "size[height]=0.1", "kind=new"])
  }

  @Test("S3-8") func foundationTypesAreWhatTheyAre() throws {
    let value = Special()
    try expectEqual(
      whole(value),
      [
        "date": .date(value.date), "data": .data(value.data), "url": "https://a.example/b?c=%20#d",
        "price": .decimal(value.price), "id": .string(value.id.uuidString), "dates": [.date(value.date)],
        "maybe": .date(value.date), "none": nil,
      ])
  }

  @Test func integersOfAllSizesKeepTheirDigits() throws {
    struct Sizes: Encodable {
      var a = Int8.min, b = Int16.min, c = Int32.min, d = Int64.min, e = Int.max
      var f = UInt8.max, g = UInt16.max, h = UInt32.max, i = UInt64.max, j = UInt(1)
      var k = Int128.min, l = Int128.max, m = UInt128.max, n = Int128(5), o = UInt128(UInt64.max), p = UInt128(1) << 64
      var q = [Int128.max - 1], r = [UInt64.max]
    }
    let sizes = Sizes()
    let json = String(decoding: try ParameterRules().json(Parameters(sizes)), as: UTF8.self)
    for text in [
      #""a":-128,"b":-32768,"c":-2147483648,"d":-9223372036854775808,"e":9223372036854775807"#,
      #""f":255,"g":65535,"h":4294967295,"i":18446744073709551615,"j":1"#,
      "\"k\":\(sizes.k),\"l\":\(sizes.l),\"m\":\(sizes.m),\"n\":5,\"o\":18446744073709551615,\"p\":18446744073709551616",
      "\"q\":[\(sizes.l - 1)],\"r\":[18446744073709551615]",
    ] { expect(json.contains(text), "\(json)") }
    try expectEqual(object(sizes)["n"], .integer(5))
    try expectEqual(object(sizes)["j"], .integer(1))
    try expectEqual(object(sizes)["o"], .unsigned(.max))
  }

  @Test func floatIsTheNumberThatItsDigitsSay() throws {
    try expectEqual(object(["a": Float(0.1)]), ["a": 0.1])
    try expectEqual(whole(["a": [Float(1e30)]]), ["a": [1e30]])
  }

  @Test("S3-8") func containersOfAllKindsNest() throws {
    try expectEqual(
      whole(Handmade()),
      [
        "list": [1, nil, ["x": true], [], ["deep"], ["in": 1]], "map": ["x": 1, "y": ["z"]], "null": nil,
        "super": ["s": 1], "single": "text", "nothing": [:], "again": 2,
      ])
  }

  @Test func whatHasNoOrderIsSorted() throws {
    let names = (0..<200).map { "n\($0)" }
    let dictionary = Dictionary(uniqueKeysWithValues: names.map { ($0, $0) })
    try expectEqual(object(dictionary).map(\.name), names.sorted())
    try expectEqual(object(["a": Set(names)])["a"], .array(names.sorted().map { .string($0) }))
    try expectEqual(object(["a": [10: 1, 9: 2]])["a"], ["10": 1, "9": 2])
    let pairs = [Pair(name: "b"): 1, Pair(name: "a"): 2]
    try expectEqual(object(["a": pairs])["a"], [["name": "a"], 2, ["name": "b"], 1])
    try expectEqual(object(["a": ["x": Set([[2], [1]])]])["a"], ["x": [[1], [2]]])
  }

  @Test func nothingMakesNoParameters() throws {
    struct Empty: Encodable {}
    try expect(object(Empty()).isEmpty)
    try expect(object(Pair?.none).isEmpty)
    try expectEqual(whole(["a": Empty()]), ["a": [:]])
    try expectEqual(object(Pair?.some(Pair(name: "a"))), ["name": "a"])
  }

  @Test func superclassesShareAContainer() throws {
    try expectEqual(object(Derived()), ["base": 1, "derived": 2])
  }

  @Test func enumerationsWithValuesAreObjects() throws {
    try expectEqual(whole(Choice.one(1, name: "a")), ["one": ["_0": 1, "name": "a"]])
    try expectEqual(whole(["c": Choice.two]), ["c": ["two": [:]]])
  }
}

private struct Search: Encodable {
  enum CodingKeys: String, CodingKey {
    case text = "q"
    case page, tags, shop, size, kind
  }
  enum Kind: String, Encodable { case new }
  struct Size: Encodable {
    let width: Double
    let height: Float
  }

  let text: String
  let page: Int
  let tags: [String]
  let shop: String?
  let size: Size
  var kind = Kind.new
}

private struct Special: Encodable {
  let date = Date(timeIntervalSince1970: 0.5)
  let data = Data([1])
  let url = URL(string: "https://a.example/b?c=%20#d")
  let price = Decimal(string: "19.90") ?? 0
  let id = UUID()
  let dates = [Date(timeIntervalSince1970: 0.5)]
  let maybe: Date?? = Date(timeIntervalSince1970: 0.5)
  let none: Date?? = .some(nil)
}

private struct Pair: Hashable, Encodable { let name: String }

private enum Choice: Encodable {
  case one(Int, name: String)
  case two
}

private struct Key: CodingKey, ExpressibleByStringLiteral {
  var stringValue: String
  var intValue: Int? { nil }
  init(stringValue: String) { self.stringValue = stringValue }
  init(stringLiteral value: String) { stringValue = value }
  init?(intValue: Int) { nil }
}

private struct Handmade: Encodable {
  func encode(to encoder: any Encoder) throws {
    var own = encoder.container(keyedBy: Key.self)
    var list = own.nestedUnkeyedContainer(forKey: "list")
    var map = own.nestedContainer(keyedBy: Key.self, forKey: "map")
    try own.encodeNil(forKey: "null")
    try list.encode(1)
    try list.encodeNil()
    expectEqual(list.count, 2)
    var inner = list.nestedContainer(keyedBy: Key.self)
    try inner.encode(true, forKey: "x")
    _ = list.nestedUnkeyedContainer()
    try list.encode(["deep"])
    try ["in": 1].encode(to: list.superEncoder())
    try map.encode(1, forKey: "x")
    // Begun twice: it goes on where it was.
    var second = own.nestedContainer(keyedBy: Key.self, forKey: "map")
    var text = second.nestedUnkeyedContainer(forKey: "y")
    try text.encode("z")
    try ["s": 1].encode(to: own.superEncoder())
    var single = own.superEncoder(forKey: "single").singleValueContainer()
    try single.encode("text")
    _ = own.superEncoder(forKey: "nothing")
    // A name for the second time: the later one stays.
    var lost = own.nestedUnkeyedContainer(forKey: "again")
    try own.encode(2, forKey: "again")
    try lost.encode(1)
    expectEqual(map.codingPath.map(\.stringValue), ["map"])
    expectEqual(inner.codingPath.map(\.stringValue), ["list", "2"])
    expectEqual(inner.codingPath.last?.intValue, 2)
  }
}

private class Ancestor: Encodable, @unchecked Sendable {
  var base = 1
}

private final class Derived: Ancestor, @unchecked Sendable {
  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var own = encoder.container(keyedBy: Key.self)
    try own.encode(2, forKey: "derived")
  }
}
