import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct ParameterRulesTests {
  private func pairs(_ parameters: Parameters, _ rules: ParameterRules = .init()) throws -> String {
    try rules.pairs(parameters).line
  }

  private func json(_ parameters: Parameters, _ rules: ParameterRules = .init()) throws -> String {
    String(decoding: try rules.json(parameters), as: UTF8.self)
  }

  @Test func arraysAreNamedAsTheRuleSays() throws {
    let parameters: Parameters = ["a": [1, 2], "e": [] as ParameterValue]
    try expectEqual(pairs(parameters), "a[]=1&a[]=2")
    try expectEqual(pairs(parameters, .init(arrays: .repeated)), "a=1&a=2")
    try expectEqual(pairs(parameters, .init(arrays: .indices)), "a[0]=1&a[1]=2")
    try expectEqual(pairs(parameters, .init(arrays: .joined(separator: ","))), "a=1,2")
    try expectEqual(pairs(parameters, .init(arrays: .joined(separator: "||"))), "a=1||2")
    try expectEqual(json(parameters, .init(arrays: .repeated)), #"{"a":[1,2],"e":[]}"#)
  }

  @Test func arraysInsideArraysAreNamedToo() throws {
    let parameters: Parameters = ["a": [[1], [2, 3]], "b": [["c": 1]]]
    try expectEqual(pairs(parameters), "a[][]=1&a[][]=2&a[][]=3&b[][c]=1")
    try expectEqual(pairs(parameters, .init(arrays: .repeated)), "a=1&a=2&a=3&b[c]=1")
    try expectEqual(
      pairs(parameters, .init(arrays: .indices, objects: .dots)), "a[0][0]=1&a[1][0]=2&a[1][1]=3&b[0].c=1")
  }

  @Test func joinedArraysHoldOnlySingleValues() throws {
    let rules = ParameterRules(arrays: .joined(separator: ","), nulls: .empty)
    try expectEqual(pairs(["a": [1, nil, "x", true] as ParameterValue], rules), "a=1,,x,true")
    try expectEqual(pairs(["a": [nil, 1]], .init(arrays: .joined(separator: ","))), "a=1")
    try expectEqual(pairs(["a": [nil] as ParameterValue], .init(arrays: .joined(separator: ","))), "")
    let error = #expect(throws: NetworkError.self) { try rules.pairs(["a": ["b": [1, [2]]] as ParameterValue]) }
    expectEqual(error?.code, .invalidParameters)
    expectEqual(error?.reason.hasPrefix("a[b]: "), true)
  }

  @Test func objectsAreNamedAsTheRuleSays() throws {
    let parameters: Parameters = ["a": ["b": ["c": 1], "": 2, "e": [:]] as ParameterValue]
    try expectEqual(pairs(parameters), "a[b][c]=1&a[]=2")
    try expectEqual(pairs(parameters, .init(objects: .dots)), "a.b.c=1&a.=2")
    try expectEqual(json(parameters, .init(objects: .dots)), #"{"a":{"":2,"b":{"c":1},"e":{}}}"#)
  }

  @Test func truthIsAWordOrADigit() throws {
    try expectEqual(pairs(["a": true, "b": false]), "a=true&b=false")
    try expectEqual(pairs(["a": true, "b": false], .init(booleans: .digits)), "a=1&b=0")
    try expectEqual(json(["a": true, "b": false], .init(booleans: .digits)), #"{"a":true,"b":false}"#)
  }

  @Test func nullIsLeftOutOrEmptyInPairsAndSaidInJSON() throws {
    let parameters: Parameters = ["a": nil, "b": [1, nil, 3], "c": ["d": nil] as ParameterValue]
    try expectEqual(pairs(parameters, .init(arrays: .indices)), "b[0]=1&b[2]=3")
    try expectEqual(pairs(parameters, .init(nulls: .empty)), "a=&b[]=1&b[]=&b[]=3&c[d]=")
    try expectEqual(json(parameters), #"{"a":null,"b":[1,null,3],"c":{"d":null}}"#)
  }

  private static let numbers: [(Double, String)] = [
    (0.1, "0.1"), (2, "2"), (-2.5, "-2.5"), (-0.0, "0"), (1e21, "1000000000000000000000"),
    (1e15 + 0.5, "1000000000000000.5"),
    (1.25e-7, "0.000000125"), (-1e-7, "-0.0000001"), (1e18, "1000000000000000000"), (0.001, "0.001"),
    (1e16, "10000000000000000"),
    (-1.5e20, "-150000000000000000000"), (.leastNonzeroMagnitude, "0." + String(repeating: "0", count: 323) + "5"),
    (.greatestFiniteMagnitude, "17976931348623157" + String(repeating: "0", count: 292)),
  ]

  @Test(arguments: numbers)
  func numbersHaveNoExponent(number: Double, text: String) throws {
    try expectEqual(pairs(["a": number]), "a=\(text)")
    try expectEqual(json(["a": number]), "{\"a\":\(text)}")
    expectEqual(Double(text), number)
  }

  @Test func wholeNumbersAreWhole() throws {
    let parameters: Parameters = [
      "a": Int64.min, "b": UInt64.max,
      "c": Decimal(string: "-12345678901234567890.0123456789"),
      "d": Decimal(sign: .plus, exponent: 30, significand: 1),
    ]
    let text =
      "a=-9223372036854775808&b=18446744073709551615&c=-12345678901234567890.0123456789&d=1"
      + String(repeating: "0", count: 30)
    try expectEqual(pairs(parameters), text)
    try expectEqual(json(parameters), "{\"" + text.replacing("&", with: ",\"").replacing("=", with: "\":") + "}")
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func numbersThatAreNoneAreRefused(number: Double) {
    for parameters: Parameters in [
      ["a": ["b": [1, .number(number)]] as ParameterValue],
      ["a": ["b": [1, number.isNaN ? .decimal(.nan) : .number(number)]] as ParameterValue],
    ] {
      let pairs = #expect(throws: NetworkError.self) {
        try ParameterRules(arrays: .indices, objects: .dots).pairs(parameters)
      }
      let json = #expect(throws: NetworkError.self) { try ParameterRules().json(parameters) }
      for error in [pairs, json] {
        expectEqual(error?.code, .invalidParameters)
        expectEqual(error?.reason, "a.b[1]: NaN and infinity cannot be written")
      }
    }
  }

  @Test func bytesAreBase64() throws {
    try expectEqual(pairs(["a": Data([1, 2]), "b": Data()]), "a=AQI=&b=")
    try expectEqual(json(["a": Data([255, 239, 255])]), #"{"a":"/+//"}"#)
  }

  @Test func jsonIsSortedByBytesAndTheSameForAnyOrder() throws {
    let text = #"{"":0,"A":1,"a":2,"é":3,"😀":{"x":1,"y":2}}"#
    try expectEqual(json(["😀": ["y": 2, "x": 1], "a": 2, "é": 3, "": 0, "A": 1]), text)
    try expectEqual(json(["A": 1, "": 0, "é": 3, "a": 2, "😀": ["x": 1, "y": 2]]), text)
    try expectEqual(json([:]), "{}")
  }

  @Test func jsonEscapesWhatItMust() throws {
    let text = "\"\\/\n\r\t\0\u{1F}\u{8}\u{7F}\u{2028}é😀"
    try expectEqual(json(["a": text]), #"{"a":"\"\\/\n\r\t\u0000\u001F\u0008"# + "\u{7F}\u{2028}é😀\"}")
  }
}
