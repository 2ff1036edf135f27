import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct JSONTests {
  private let shop: JSON = [
    "data": ["items": [["price": 9.5, "count": 3, "name": "Lamp", "isNew": true, "note": nil], []]]
  ]

  @Test("S0-8") func isLookedIntoByNamesAndPlaces() {
    let item = shop["data"]["items"][0]
    expectEqual(item["price"].double, 9.5)
    expectEqual(item["count"].int, 3)
    expectEqual(item["name"].string, "Lamp")
    expectEqual(item["isNew"].bool, true)
    expect(item["note"].isNull)
    expectEqual(shop["data"]["items"].array?.count, 2)
    expectEqual(shop["data"].object?.count, 1)
  }

  @Test("S0-8, S0-9") func whatIsNotThereIsNull() {
    expect(shop["none"]["items"][0].isNull)
    expect(shop["data"]["items"][2].isNull)
    expect(shop["data"]["items"][-1].isNull)
    expect(shop["data"]["items"][.min].isNull)
    expect(shop["data"]["items"][.max].isNull)
    expect(shop[0].isNull)
    expect(shop["data"]["items"]["0"].isNull)
    expect(JSON.string("a")["a"][0].isNull)
  }

  @Test("S0-9") func aValueOfAnotherKindIsNone() {
    let values: [JSON] = [nil, true, 1, 1.5, "1", "true", [1], ["a": 1]]
    expectEqual(values.map { $0.string != nil }, [false, false, false, false, true, true, false, false])
    expectEqual(values.map { $0.int != nil }, [false, false, true, false, false, false, false, false])
    expectEqual(values.map { $0.double != nil }, [false, false, true, true, false, false, false, false])
    expectEqual(values.map { $0.bool != nil }, [false, true, false, false, false, false, false, false])
    expectEqual(values.map { $0.array != nil }, [false, false, false, false, false, false, true, false])
    expectEqual(values.map { $0.object != nil }, [false, false, false, false, false, false, false, true])
    expectEqual(values.map(\.isNull), [true, false, false, false, false, false, false, false])
  }

  @Test("S0-9") func anIntIsExactOrNone() {
    expectEqual(JSON.number(2).int, 2)
    expectEqual(JSON.number(-0.0).int, 0)
    expectNil(JSON.number(0x1p63).int)
    expectEqual(JSON.number(-0x1p63).int, .min)
    expectNil(JSON.unsigned(.max).int)
    expectEqual(JSON.unsigned(7).int, 7)
    for number in [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude] {
      expectNil(JSON.number(number).int)
    }
    expectEqual(JSON.unsigned(.max).double, 0x1p64)
  }

  @Test func equalIsWhatMeansTheSame() {
    expectEqual(JSON.integer(1), .number(1))
    expectEqual(JSON.integer(1), .unsigned(1))
    expect(JSON.unsigned(.max) != .number(0x1p64))
    expectEqual(JSON.unsigned(1 << 63), .number(0x1p63))
    expect(JSON.integer(1 << 53 + 1) != .number(0x1p53))
    expect(JSON.integer(-1) != .unsigned(.max))
    expect(JSON.integer(1) != true)
    expect(JSON.null != false)
    expect(JSON.number(.nan) != .number(.nan))
    expectEqual([1, [2.0, ["a": 3]]] as JSON, [1.0, [2, ["a": .unsigned(3)]]])
    expect(["a": 1] as JSON != ["a": 1, "b": nil])
    expect(["a": 1] as JSON != ["b": 1])
    expect([1, 2] as JSON != [2, 1])
    expectEqual(Set([1, 1.0, .unsigned(1), "1", [1], [1.0]] as [JSON]).count, 3)
  }

  @Test func ofEqualNamesInALiteralTheLastStays() {
    let names = ["a", "a"]
    expectEqual(JSON(dictionaryLiteral: (names[0], 1), (names[1], 2)), ["a": 2])
  }

  @Test func isDescribedAsCompactSortedJSON() {
    let value: JSON = [
      "b": [1, -2, .unsigned(.max), 0.1, 1e300, true, false, nil], "a": ["é\n\"\\\u{1}": "/"], "": [], "c": [:],
    ]
    expectEqual(
      value.description,
      #"{"":[],"a":{"é\n\"\\\u0001":"/"},"b":[1,-2,18446744073709551615,0.1,1e+300,true,false,null],"c":{}}"#)
    expectEqual(
      "\(JSON.number(.nan)) \(JSON.number(-.infinity)) \(JSON.null) \(JSON.string("a"))", #"null null null "a""#)
  }

  @Test func anEmptyBodyIsNull() {
    expect(JSON.emptyBodyValue.isNull)
  }
}
