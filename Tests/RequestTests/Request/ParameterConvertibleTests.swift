import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Variables as parameters.
struct ParameterConvertibleTests {
  private enum Sort: String, ParameterConvertible { case byName = "name" }
  private enum Level: Int, ParameterConvertible { case high = 3 }

  private func line(_ parameters: Parameters) throws -> String { try ParameterRules().pairs(parameters).line }

  private func json(_ parameters: Parameters) throws -> String {
    String(decoding: try ParameterRules().json(parameters), as: UTF8.self)
  }

  @Test func theQueryOfAnApp() throws {
    let (text, page, on) = ("a b&c", 2, Date(timeIntervalSince1970: 1_767_323_045))
    let (tags, isNew, sort) = (["x", "y"], true, Sort.byName)
    let (maximum, minimum): (Double?, Double?) = (9.5, nil)
    let parameters: Parameters = [
      "q": text, "page": page, "on": on, "tags": tags, "new": isNew, "max": maximum, "min": minimum, "none": nil,
      "sort": sort,
    ]
    try expectEqual(
      Stubbed().target(Request(.get, "/s", parameters: parameters)),
      "/s?q=a%20b%26c&page=2&on=2026-01-02T03%3A04%3A05Z&tags%5B%5D=x&tags%5B%5D=y&new=true&max=9.5&sort=name")
    expectEqual(parameters["none"], .null)
    expectEqual(parameters["min"], .null)
    try expectEqual(
      json(parameters),
      #"{"max":9.5,"min":null,"new":true,"none":null,"on":"2026-01-02T03:04:05Z","page":2,"q":"a b&c","#
        + #""sort":"name","tags":["x","y"]}"#)
  }

  @Test func everyConformingTypeIsWritten() throws {
    let id = try require(UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"))
    let url = try require(URL(string: "https://a.example/b?c=d"))
    let price = try require(Decimal(string: "9.90"))
    let numbers: [(any ParameterConvertible, String)] = [
      (Int.min, "\(Int.min)"), (Int8(-8), "-8"), (Int16(-16), "-16"), (Int32(-32), "-32"), (Int64.min, "\(Int64.min)"),
      (UInt(1), "1"), (UInt8(8), "8"),
      (UInt16(16), "16"), (UInt32(32), "32"), (UInt64.max, "18446744073709551615"), (0.5, "0.5"),
      (1e21, "1000000000000000000000"), (Float(0.1), "0.1"), (price, "9.9"),
    ]
    let others: [(any ParameterConvertible, String)] = [
      ("lamp", "lamp"), ("a lamp".dropFirst(2), "lamp"), (false, "false"),
      (Date(timeIntervalSince1970: 0.25), "1970-01-01T00:00:00.250Z"), (Data([1, 2]), "AQI="),
      (url, "https://a.example/b?c=d"), (id, id.uuidString), (Sort.byName, "name"), (Level.high, "3"),
      (ParameterValue.integer(5), "5"), (Optional(Level.high), "3"), (Optional(Optional("deep")), "deep"),
    ]
    for (value, text) in numbers + others {
      try expectEqual(line(["v": value]), "v=\(text)")
      try expectEqual(line(["v": ParameterValue(value)]), "v=\(text)")
      let optional: (any ParameterConvertible)? = value
      try expectEqual(line(["v": optional]), "v=\(text)")
      try expectEqual(line(["v": ["w": value.parameterValue]]), "v[w]=\(text)")
    }
  }

  @Test func arraysAndDictionariesNest() throws {
    let (rows, prices) = ([[1, 2], [3]], ["b": [1], "a": [2, 3]])
    try expectEqual(line(["rows": rows]), "rows[][]=1&rows[][]=2&rows[][]=3")
    // A dictionary has no order: it is sorted.
    try expectEqual(line(["prices": prices]), "prices[a][]=2&prices[a][]=3&prices[b][]=1")
    try expectEqual(json(["rows": rows, "prices": prices]), #"{"prices":{"a":[2,3],"b":[1]},"rows":[[1,2],[3]]}"#)
    let mixed: ParameterObject = ["z": 1, "a": "x", "on": true, "none": nil]
    try expect(line(["o": mixed, "all": [mixed, mixed]]).hasPrefix("o[z]=1&o[a]=x&o[on]=true&all[][z]=1"))
    try expectEqual(
      line(["levels": [Level.high, .high], "sorts": ["x": Sort.byName]]), "levels[]=3&levels[]=3&sorts[x]=name")
  }

  @Test func aMissingValueIsLeftOutOrNull() throws {
    let (some, none): (Int?, Int?) = (5, nil)
    let parameters: Parameters = ["a": some, "b": none, "c": [some, none], "d": ["x": none], "e": nil]
    try expectEqual(line(parameters), "a=5&c[]=5")
    try expectEqual(json(parameters), #"{"a":5,"b":null,"c":[5,null],"d":{"x":null},"e":null}"#)
    try expectEqual(ParameterRules(nulls: .empty).pairs(parameters).line, "a=5&b=&c[]=5&c[]=&d[x]=&e=")
    try expectEqual(parameters.object().map(\.name), ["a", "b", "c", "d", "e"])
  }

  @Test func aVariableThatCannotBeWrittenIsAnErrorThatNamesIt() throws {
    let ratio = Double.nan
    let error = #expect(throws: NetworkError.self) { try line(["page": 1, "ratios": [1, ratio]]) }
    expectEqual(error?.code, .invalidParameters)
    expectEqual(error?.reason.hasPrefix("ratios"), true, "\(error?.reason ?? "")")
  }
}
