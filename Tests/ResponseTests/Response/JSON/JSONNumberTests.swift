import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// Numbers: the same from the parser and from a decoder, and the same after nulls were removed.
struct JSONNumberTests {
  private static func number(_ dice: inout ParameterDice) -> String {
    func digits(_ count: Int) -> String {
      String((0..<max(1, count)).map { _ in Character("\(dice.count(9))") }.drop { $0 == "0" }.map { $0 })
    }
    var text = dice.count(1) == 0 ? "-" : ""
    switch dice.count(4) {
    case 0: text += digits(20) + "0"
    case 1:
      // Around the limits of a Double's integers and of 64 bits.
      let limits = [1 << 53, 1 << 54, UInt64(Int64.max), UInt64.max - 64] as [UInt64]
      text += String(limits[dice.count(3)] &+ UInt64(dice.count(60)))
    default:
      let whole = digits(dice.count(20))
      text += whole.isEmpty ? "0" : whole
    }
    if text == "-" || text.isEmpty { text += "0" }
    if text.hasPrefix("-0"), text.count > 2 { text = "-0" }
    if text.hasPrefix("0"), text.count > 1 { text = "0" }
    if dice.count(1) == 0 {
      text += "." + (0...dice.count(8)).map { _ in "\(dice.count(2) == 0 ? dice.count(9) : 0)" }.joined()
    }
    if dice.count(2) == 0 { text += ["e", "E", "e+", "e-"][dice.count(3)] + "\(dice.count(22))" }
    return text
  }

  @Test func theParserAndADecoderAgree() throws {
    var dice = ParameterDice()
    for _ in 0..<Scale.count(3_000) {
      let text = Self.number(&dice)
      let data = Data("[\(text)]".utf8)
      let parsed = try JSON(data: data)
      let decoded = try JSONDecoder().decode(JSON.self, from: data)
      if parsed != decoded { Issue.record("seed \(dice.seed): \(text) is \(parsed) and \(decoded)") }
      if parsed[0].double != Double(text) { Issue.record("seed \(dice.seed): \(text) is \(parsed)") }
      try expectEqual(JSON(text: parsed.description), parsed, "seed \(dice.seed): \(text)")
    }
  }

  @Test(
    arguments: [
      ("1.2851455356301501e+18", .integer(1_285_145_535_630_150_100)),
      ("9007199254740993.0", .integer(9_007_199_254_740_993)),
      ("9007199254740993.5", .number(9_007_199_254_740_994)), ("18446744073709551615.00", .unsigned(.max)),
      ("-9223372036854775808e0", .integer(.min)), ("18014398509481985.5", .number(18_014_398_509_481_984)),
      ("1e19", .unsigned(10_000_000_000_000_000_000)), ("1e20", .number(1e20)), ("1.0", .number(1)),
      ("-1e19", .number(-1e19)),
    ] as [(String, JSON)])
  func aWholeNumberKeepsItsDigits(_ text: String, _ value: JSON) throws {
    try expectEqual(JSON(text: text), value)
    try expectEqual(JSONDecoder().decode(JSON.self, from: Data(text.utf8)), value)
  }

  private struct Price: Decodable { let p: Decimal? }

  @Test func removingNullsChangesNothingElse() throws {
    let decoder = JSONCoding(removesNulls: true)
    let large = Data(#"{"p":12345678901234567890123,"x":1e400,"y":[null,1]}"#.utf8)
    let price = try decoder.decode(Price.self, from: large, userInfo: [:]).p
    expectEqual(price, Decimal(string: "12345678901234567890123"))
    for (text, expected) in [
      ("null", "null"), (" [ null , 1 ,null,2 , null ] ", " [  1 ,2  ] "), ("[null,null]", "[]"),
      (#"{"a":null}"#, "{}"),
      (#"{ "a" : null , "b" : {"c":null,"d":[null]} , "e":null}"#, #"{  "b" : {"d":[]} }"#),
      (#"["null",{"null":"\"null"}]"#, #"["null",{"null":"\"null"}]"#), ("[1.50,1e400,-0]", "[1.50,1e400,-0]"),
    ] {
      try expectEqual(String(decoding: JSON.textWithoutNulls(Data(text.utf8)), as: UTF8.self), expected)
    }
    for text in [
      "[null null]", "[,null]", "[null,]", #"{"a":null,}"#, #"{null}"#, "[nul]", "[01]", "nullx", #"{"a" null}"#,
    ] {
      #expect(throws: (any Error).self) { try decoder.decode([JSON].self, from: Data(text.utf8), userInfo: [:]) }
    }
  }

  /// As without the removal: Foundation does not look at what the type does not decode.
  @Test func removingNullsDoesNotCheckStrings() throws {
    let decoder = JSONCoding(removesNulls: true)
    let unused = [
      Data(#""\ud83d""#.utf8), Data(#""\q\\""#.utf8), Data("\"a\nb\"".utf8), Data([0x22, 0xE9, 0x22]),
      Data(#"{"\ud83d":null}"#.utf8),
    ]
    for value in unused {
      let body = Data(#"{"p":1,"z":"#.utf8) + value + Data(#","y":null}"#.utf8)
      for decoder in [decoder, JSONCoding()] {
        try expectEqual(decoder.decode(Price.self, from: body, userInfo: [:]).p, 1)
      }
    }
    for text in [#"{"p":1,"z":"\"#, #"{"p":1,"z":"\""#, #"{"p":1,"z":"a"#] {
      #expect(throws: (any Error).self) { try decoder.decode(Price.self, from: Data(text.utf8), userInfo: [:]) }
    }
  }

  /// Against the removal from values, over random ones.
  @Test func removingNullsFromATextIsRemovingThemFromItsValue() throws {
    var dice = ParameterDice()
    for _ in 0..<Scale.count(500) {
      let data = try ParameterRules().json(Parameters(dice.object(levels: 4)))
      let pruned = try JSON(data: JSON.textWithoutNulls(data))
      try expectEqual(pruned, JSON(data: data).removingNulls(), "seed \(dice.seed)")
    }
  }
}
