import Foundation
import Heliograph
import HeliographTestSupport
import TestSupport
import Testing

struct JSONParserTests {
  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("-1", -1), ("9223372036854775807", .integer(.max)),
      ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .unsigned(1 << 63)),
      ("18446744073709551615", .unsigned(.max)), ("18446744073709551616", .number(0x1p64)),
      ("-9223372036854775809", .number(-0x1p63)), ("1.5", 1.5), ("1.0", 1), ("-0.25e2", -25), ("1E+2", 100),
      ("1e-2", 0.01), ("1e308", 1e308), ("1e-400", 0), ("0e9", 0), ("0.1", 0.1),
      ("123456789012345678901234567890", .number(123_456_789_012_345_677_877_719_597_056)),
    ] as [(String, JSON)])
  func readsNumbers(_ text: String, _ value: JSON) throws {
    try expectEqual(JSON(text: text), value)
    try expectEqual(JSON(text: " [ \(text) ] "), [value])
  }

  @Test(arguments: [
    (#""""#, ""), (#""a""#, "a"), (#""é😀""#, "é😀"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
    (#""\u0000a\u00e9\u20AC""#, "\0a\u{E9}€"), (#""\ud83d\ude00\uDBFF\uDFFF""#, "😀\u{10FFFF}"),
    (#""a\u0041b\nc""#, "aAb\nc"), ("\"\u{7F}\u{2028}\u{FFFF}\"", "\u{7F}\u{2028}\u{FFFF}"),
  ])
  func readsStrings(_ text: String, _ value: String) throws {
    try expectEqual(JSON(text: text).string, value)
    try expectEqual(JSON(text: "{\(text):\(text)}")[value].string, value)
  }

  @Test(
    arguments: [
      ("null", .null), (" \t\r\n true \t\r\n ", true), ("false", false), ("[]", []), ("[ ]", []), ("{}", [:]),
      ("{ }", [:]),
      ("[[],{},[[]]]", [[], [:], [[]]]),
      (#"{ "a" : [ 1 , { "b" : null } ] , "c" : { } }"#, ["a": [1, ["b": nil]], "c": [:]]),
      (#"{"a":{"a":{"a":1}},"b":[[1,[2]],3]}"#, ["a": ["a": ["a": 1]], "b": [[1, [2]], 3]]),
    ] as [(String, JSON)])
  func readsStructures(_ text: String, _ value: JSON) throws {
    try expectEqual(JSON(text: text), value)
  }

  @Test("S0-9") func ofEqualNamesTheFirstStaysAsWithJSONDecoder() throws {
    let body = Data(#"{"a":1,"b":0,"a":{"c":2}}"#.utf8)
    try expectEqual(JSON(data: body), ["a": 1, "b": 0])
    try expectEqual(JSONDecoder().decode(JSON.self, from: body), ["a": 1, "b": 0])
  }

  @Test(
    "S0-9",
    arguments: [
      ("", "the root: unexpected end: expected a value, at byte 0"),
      ("[1,2", "[2]: unterminated array or object, at byte 4"),
      (#"{"a":[{"b":tru}]}"#, "a[0].b: unexpected character: expected a value, at byte 11"),
      (#"{"a":1e400}"#, "a: number out of range, at byte 10"),
      (#"{"a":[0,01]}"#, "a[1]: number with a leading zero, at byte 9"),
      (#"["\ud800"]"#, "[0]: unpaired surrogate, at byte 8"),
      ("[\"a\n\"]", "[0]: unescaped control character in a string, at byte 3"),
      (#"{"a" 1}"#, "a: expected a colon after the member name, at byte 5"),
      ("{1:1}", ": expected a member name in quotation marks, at byte 1"),
      (#"{"a":{"b":1,"\q":2}}"#, "a: invalid escape sequence, at byte 15"),
      ("[1 2]", "[1]: expected a comma or the end of the array or object, at byte 3"),
      ("1 2", "the root: unexpected text after the value, at byte 2"),
    ])
  func saysWhereTheFaultIs(_ text: String, _ reason: String) throws {
    let error = try #require(throws: NetworkError.self) { try JSON(text: text) }
    expectEqual(error.code, .malformedBody)
    let fault = try require(JSON.fault(in: Data(text.utf8))).reason
    expect(fault == reason || fault == "the root" + reason)
    // In the error, what may be secret comes last: no log gets it.
    let parts = fault.split(separator: ": ", maxSplits: 1)
    expectEqual(error.reason, parts[0] == "the root" ? "\(parts[1])" : "\(parts[1]): at \(parts[0])")
    expect("\(error)".hasSuffix(": \(parts[1])"))
  }

  @Test("S0-9") func invalidUTF8IsAFaultWithItsPath() throws {
    let body = Data(#"{"items":[{"name":""#.utf8) + [0xC3, 0x28] + Data(#""}]}"#.utf8)
    let error = try #require(throws: NetworkError.self) { try JSON(data: body) }
    expectEqual(error.reason, "invalid UTF-8 in a string, at byte 19: at items[0].name")
  }

  @Test(
    "S0-9",
    arguments: [
      .utf8, .utf16BigEndian, .utf16LittleEndian, .utf32BigEndian, .utf32LittleEndian,
    ] as [String.Encoding])
  func readsOtherEncodings(_ encoding: String.Encoding) throws {
    for (text, value) in [(#"{"é":"😀"}"#, ["é": "😀"]), ("[1]", [1]), ("12", 12)] as [(String, JSON)] {
      let marked = try require(("\u{FEFF}" + text).data(using: encoding))
      let bare = try require(text.data(using: encoding))
      try expectEqual(JSON(data: marked), value)
      try expectEqual(JSON(data: bare), value)
      // A slice, whose indices do not begin at 0.
      try expectEqual(JSON(data: (Data([1, 2, 3]) + marked).dropFirst(3)), value)
      // Half a character more.
      if encoding != .utf8 {
        #expect(throws: NetworkError.self) { try JSON(data: bare + Data([0x20])) }
        #expect(throws: NetworkError.self) { try JSON(data: marked + Data([0])) }
      }
    }
  }

  @Test("S0-8, S0-9", arguments: [true, false]) func isAsDeepAsTheLimitAndNoDeeper(inArrays: Bool) async throws {
    for depth in [1_000, JSON.maximumDepth] {
      let found = try await onSmallThread {
        let value = try JSON(text: deepText(depth, inArrays: inArrays))
        let same = try JSON(text: value.description)
        expectEqual(same, value)
        expectEqual(same.hashValue, value.hashValue)
        return value.depth
      }
      expectEqual(found, depth)
    }
    for depth in [JSON.maximumDepth + 1, 100_000] {
      let reason = await onSmallThread { JSON.fault(in: Data(deepText(depth, inArrays: inArrays).utf8))?.reason }
      expectEqual(reason?.contains(": nested deeper than 1024 levels, at byte "), true)
      expectEqual(reason?.hasPrefix(inArrays ? "[0][0]" : "a.a"), true)
    }
  }

  @Test func everyPrefixOfATextIsAFault() {
    let text = Array(#"{"a":[1,-2.5e3,"x\u00e9\n",true,null,{"b":{}}]}"#.utf8)
    expectNil(JSON.fault(in: Data(text)))
    for count in 0..<text.count { expect(JSON.fault(in: Data(text.prefix(count))) != nil) }
  }
}
