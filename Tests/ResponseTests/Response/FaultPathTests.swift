import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct FaultPathTests {
  private enum Kind: String, Decodable { case lamp }

  private struct Item: Decodable {
    let id: Int
    let price: Double
    var size: UInt8?
    var days: [Date]?
    var counts: [String: Int8]?
    var kind: Kind?
  }

  private struct Page: Decodable {
    struct Part: Decodable { let items: [Item] }
    let data: Part
  }

  private func path(_ item: String, at index: Int = 2) -> String? {
    let good = #"{"id":1,"price":1.5,"size":255,"days":[1.5],"counts":{"a":127},"kind":"lamp"}"#
    let items = (0..<4).map { $0 == index ? item : good }.joined(separator: ",")
    let body = Data(#"{"data":{"items":[\#(items)]}}"#.utf8)
    return JSONDecoder().faultPath(of: Page.self, in: body)?.pathText
  }

  @Test(
    "S0-9",
    arguments: [
      (#"{"id":1.5,"price":1}"#, "data.items[2].id"), (#"{"id":9223372036854775808,"price":1}"#, "data.items[2].id"),
      (#"{"id":1,"price":1e400}"#, "data.items[2].price"), (#"{"id":1,"price":01}"#, "data.items[2].price"),
      (#"{"id":1,"price":1,"size":256}"#, "data.items[2].size"),
      (#"{"id":1,"price":1,"size":-1}"#, "data.items[2].size"),
      (#"{"id":1,"price":1,"days":[1,1e999]}"#, "data.items[2].days[1]"),
      (#"{"id":1,"price":1,"counts":{"a":128}}"#, "data.items[2].counts.a"),
      (#"{"id":1,"price":1,"kind":"\ud800"}"#, "data.items[2].kind"),
    ])
  func namesThePlaceOfWhatDoesNotFit(_ item: String, _ expected: String) {
    expectEqual(path(item), expected)
    expectEqual(path(item, at: 0), expected.replacingOccurrences(of: "[2]", with: "[0]"))
  }

  @Test func saysNothingWhereTheErrorKnowsItsPlace() {
    expectNil(path(#"{"id":1,"price":1}"#))
    expectNil(path(#"{"id":"x","price":1}"#))
    expectNil(path(#"{"id":1}"#))
    expectNil(path(#"{"id":1,"price":1,"kind":"table"}"#))
    expectNil(JSONDecoder().faultPath(of: Page.self, in: Data("{".utf8)))
  }

  @Test func theDecoderKeepsItsUserInfo() throws {
    let key = try require(CodingUserInfoKey(rawValue: "own"))
    let decoder = JSONDecoder()
    decoder.userInfo[key] = 1
    expectEqual(decoder.faultPath(of: [Int].self, in: Data("[1,1.5]".utf8))?.pathText, "[1]")
    expectEqual(decoder.userInfo.count, 1)
  }
}
