import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

/// Decodes a text and says what lenient parts of it did.
func decodeLeniently<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> (Value, DecodeReport) {
  let collector = DecodingContext()
  let decoder = JSONDecoder()
  decoder.userInfo[.heliograph] = collector
  let value = try decoder.decode(type, from: Data(text.utf8))
  return (value, collector.report)
}

struct DecodeReportTests {
  private struct Numbers: Decodable { @Lossy var values: [Int] }

  @Test("P11") func aReportHasALimitAndCountsTheRest() throws {
    let limit = DecodeReport.maximumEntryCount
    let bad = (0..<limit + 500).map { _ in #""x""# }.joined(separator: ",")
    let (numbers, report) = try decodeLeniently(Numbers.self, #"{"values":[1,\#(bad),2]}"#)
    expectEqual(numbers.values, [1, 2])
    expectEqual(report.entries.count, limit)
    expectEqual(report.omittedCount, 500)
    expectEqual(report.entries.first?.path, "values[1]")
    expectEqual(report.entries.last?.path, "values[\(limit)]")
  }

  @Test func aDefaultAroundTakesThePlaceOfWhatWasInside() throws {
    enum NoNumbers: DefaultValue { static let defaultValue: Row? = nil }
    struct Row: Decodable {
      @Lossy var values: [Int]
      let id: Int
    }
    struct Table: Decodable { @Defaulted<NoNumbers> var row: Row? }
    let (table, report) = try decodeLeniently(Table.self, #"{"row":{"values":["x","y"],"id":"z"}}"#)
    expectNil(table.row)
    expectEqual(report.entries.map(\.description), ["row.id: string, not Int: defaulted"])
  }

  @Test func aDefaultAroundAlsoTakesThePlaceOfOmittedEntries() throws {
    struct Row: Decodable {
      @Lossy var values: [Int]
      let id: Int
    }
    let limit = DecodeReport.maximumEntryCount
    func bad(_ count: Int) -> String { (0..<count).map { _ in #""x""# }.joined(separator: ",") }
    let whole = #"{"values":[\#(bad(limit - 1))],"id":1}"#
    let failed = #"{"values":[\#(bad(500))],"id":"z"}"#
    let (rows, report) = try decodeLeniently(Lossy<[Row]>.self, "[\(failed),\(whole),\(failed),\(failed)]")
    expectEqual(rows.wrappedValue.count, 1)
    expectEqual(report.entries.count, limit)
    expectEqual(report.omittedCount, 2)
  }

  @Test func theRootMayBeLenientItself() throws {
    let (values, report) = try decodeLeniently(Lossy<[Int]>.self, #"[1,"x",2]"#)
    expectEqual(values.wrappedValue, [1, 2])
    expectEqual(report.entries.map(\.path), ["[1]"])
    let (none, whole) = try decodeLeniently(Lossy<[Int]>.self, #"{"a":1}"#)
    expect(none.wrappedValue.isEmpty)
    expectEqual(whole.entries.map(\.description), ["the root: object, not array: defaulted"])
  }

  @Test func whatIsNoJSONStaysAnError() {
    #expect(throws: DecodingError.self) { try decodeLeniently(Numbers.self, #"{"values":[1,"#) }
  }

  @Test func errorsOfOnesOwnAreListedAtTheirPlace() throws {
    struct Oops: Error {}
    struct Picky: Decodable {
      init(from decoder: any Decoder) throws { throw Oops() }
    }
    struct Own: Decodable {
      init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "no good"))
      }
    }
    struct List: Decodable {
      @Lossy var picky: [Picky]
      @Lossy var own: [String: Own]
    }
    let (_, report) = try decodeLeniently(List.self, #"{"picky":[1],"own":{"a":1}}"#)
    expectEqual(
      report.entries.map(\.description),
      [
        "picky[0]: a value that does not fit, not Picky: dropped", "own.a: no good, not Own: dropped",
      ])
  }
}
