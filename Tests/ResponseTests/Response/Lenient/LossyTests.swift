import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct LossyTests {
  private struct Item: Codable, Hashable, Sendable {
    let name: String
    let price: Double
  }

  private struct Catalogue: Codable, Hashable, Sendable {
    @Lossy var items: [Item]
    @Lossy var prices: [String: Double]
    @Lossy var tags: Set<String>
  }

  private struct Envelope: Codable, Hashable, Sendable {
    let data: Catalogue
  }

  private func decode(_ text: String) throws -> (Catalogue, [String]) {
    let (value, report) = try decodeLeniently(Envelope.self, text)
    return (value.data, report.entries.map(\.description))
  }

  @Test("P11") func oneBadInAHundredLeavesTheOthersAndIsReported() throws {
    let items = (0..<100).map { #"{"name":"A","price":\#($0 == 37 ? #""free""# : "\($0)")}"# }
    let (value, report) = try decode(
      #"{"data":{"items":[\#(items.joined(separator: ","))],"prices":{},"tags":[]}}"#)
    expectEqual(value.items.count, 99)
    expectEqual(value.items.map(\.price), (0..<100).filter { $0 != 37 }.map(Double.init))
    expectEqual(report, ["data.items[37].price: string, not Double: dropped"])
  }

  @Test("P11") func elementsOfUnknownCasesAreDropped() throws {
    enum Kind: String, Codable { case lamp, chair }
    struct Shelf: Decodable { @Lossy var kinds: [Kind] }
    let (shelf, report) = try decodeLeniently(Shelf.self, #"{"kinds":["lamp","table","chair"]}"#)
    expectEqual(shelf.kinds, [.lamp, .chair])
    expectEqual(report.entries.map(\.path), ["kinds[1]"])
    expectEqual(report.entries.map(\.expected), ["Kind"])
    expectEqual(report.entries.map(\.action), [.dropped])
    expect(report.entries.allSatisfy { $0.found.contains("table") })
  }

  @Test func elementsOfEveryWrongKindAreDropped() throws {
    let good = #"{"name":"A","price":1}"#
    let bad = ["null", "1", "1.5", "true", #""x""#, "[]", "[[1]]", "{}", #"{"name":null,"price":1}"#, #"{"name":"A"}"#]
    let items = bad.map { "\($0),\(good)" }.joined(separator: ",")
    let (value, report) = try decode(#"{"data":{"items":[\#(items)],"prices":{},"tags":[]}}"#)
    expectEqual(value.items, [Item](repeating: Item(name: "A", price: 1), count: bad.count))
    expectEqual(
      report,
      [
        "data.items[0]: null, not object: dropped", "data.items[2]: number, not object: dropped",
        "data.items[4]: number, not object: dropped", "data.items[6]: bool, not object: dropped",
        "data.items[8]: string, not object: dropped", "data.items[10]: array, not object: dropped",
        "data.items[12]: array, not object: dropped", "data.items[14].name: nothing, not a value: dropped",
        "data.items[16].name: null, not String: dropped", "data.items[18].price: nothing, not a value: dropped",
      ])
  }

  @Test func dictionariesAndSetsDoWithoutTheBadOnes() throws {
    let (value, report) = try decode(
      #"{"data":{"items":[],"prices":{"a_b":1,"b":"x","c":3},"tags":["a",1,"a",null,"b"]}}"#)
    expectEqual(value.prices, ["a_b": 1, "c": 3])
    expectEqual(value.tags, ["a", "b"])
    expectEqual(
      report,
      [
        "data.prices.b: string, not Double: dropped", "data.tags[1]: number, not String: dropped",
        "data.tags[3]: null, not String: dropped",
      ])
  }

  @Test func whatIsMissingNullOrOfAnotherKindIsEmpty() throws {
    let (value, report) = try decode(#"{"data":{"prices":null,"tags":{"a":1}}}"#)
    expectEqual(value, Catalogue(items: [], prices: [:], tags: []))
    expectEqual(
      report,
      [
        "data.items: nothing, not Array<Item>: defaulted",
        "data.prices: null, not Dictionary<String, Double>: defaulted",
        "data.tags: object, not array: defaulted",
      ])
    let (_, more) = try decode(#"{"data":{"items":"x","prices":[1],"tags":7}}"#)
    expectEqual(
      more,
      [
        "data.items: string, not array: defaulted", "data.prices: array, not object: defaulted",
        "data.tags: number, not array: defaulted",
      ])
  }

  @Test func theStrategiesOfTheDecoderAreKept() throws {
    struct Log: Decodable {
      @Lossy var days: [Date]
      @Lossy var byName: [String: Date]
    }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let log = try decoder.decode(Log.self, from: Data(#"{"days":[1,"x",2],"by_name":{"a_b":3,"c":[]}}"#.utf8))
    expectEqual(log.days, [Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2)])
    expectEqual(log.byName, ["a_b": Date(timeIntervalSince1970: 3)])
  }

  @Test func worksInArraysOptionalsAndInsideOfItself() throws {
    struct Row: Decodable, Hashable {
      let id: Int
      @Lossy var cells: [Int]
    }
    struct Table: Decodable {
      @Lossy var rows: [Row]
      var other: Lossy<[Int]>?
      var all: [Lossy<[Int]>]
    }
    let (table, report) = try decodeLeniently(
      Table.self,
      #"{"rows":[{"id":1,"cells":[1,"x",2]},{"id":"x","cells":["y"]},{"cells":["z","w"]}],"all":[[1,"a"],null,7]}"#)
    expectEqual(table.rows, [Row(id: 1, cells: [1, 2])])
    expectNil(table.other)
    expectEqual(table.all.map(\.wrappedValue), [[1], [], []])
    // What was dropped inside of a row that was dropped itself is not listed.
    expectEqual(
      report.entries.map(\.path),
      [
        "rows[0].cells[1]", "rows[1].id", "rows[2].id", "all[0][1]", "all[1]", "all[2]",
      ])
  }

  @Test func elementsThatMayBeNullStay() throws {
    struct Numbers: Decodable { @Lossy var values: [Int?] }
    let (numbers, report) = try decodeLeniently(Numbers.self, #"{"values":[1,null,"x",2]}"#)
    expectEqual(numbers.values, [1, nil, 2])
    expectEqual(report.entries.map(\.path), ["values[2]"])
  }

  @Test func isEncodedAsTheCollectionAlone() throws {
    let value = Catalogue(items: [Item(name: "A", price: 1.5)], prices: ["a": 2.5], tags: ["b"])
    let data = try JSONEncoder().encode(value)
    try expectEqual(JSON(data: data), ["items": [["name": "A", "price": 1.5]], "prices": ["a": 2.5], "tags": ["b"]])
    try expectEqual(JSONDecoder().decode(Catalogue.self, from: data), value)
    expectEqual(Set([value, value]).count, 1)
  }
}
