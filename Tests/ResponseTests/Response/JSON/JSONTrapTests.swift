import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Texts at which Foundation's decoder ends the process, see swift-foundation issue 812.
struct JSONTrapTests {
  private struct Item: Decodable, Sendable {
    let id: Int
  }

  private static let zeros = String(repeating: "0", count: 200)
  static let traps = [
    "1\(zeros)e-184", "0.\(zeros.prefix(128))1e145", "0.\(zeros.prefix(113))9007199254740993e129",
    "-1.\(zeros)e+17", "1\(zeros.prefix(130))E-114", "0.\(zeros.prefix(128))2e152",
  ]

  @Test(arguments: traps) func aNumberOfManyDigitsIsAnError(_ number: String) async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/item", .json(#"{"name":"a","id":"# + number + "}"))
    let error = try await kit.client.failure(of: "/item", as: Item.self)
    expectEqual(error.code, .malformedBody)
    expect(error.reason.contains("number with more than 128 digits, at byte"), "\(error.reason)")
  }

  @Test(arguments: traps) func alsoInOtherEncodings(_ number: String) throws {
    for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf32BigEndian] {
      let body = try require(#"{"id":"#.appending(number).appending("}").data(using: encoding))
      #expect(throws: (any Error).self) { try JSONCoding().decode(Item.self, from: body, userInfo: [:]) }
    }
  }

  /// The memory after the body is that of another one.
  @Test func aNumberAtTheEndIsNotReadBeyondIt() throws {
    let five = JSONCoding(configureDecoder: { $0.allowsJSON5 = true })
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: 64)
    defer { memory.deallocate() }
    memory.initialize(repeating: UInt8(ascii: "7"), count: 64)
    func body(_ text: String) -> Data {
      for (index, byte) in text.utf8.enumerated() { memory[index] = byte }
      return Data(bytesNoCopy: memory, count: text.utf8.count, deallocator: .none)
    }
    try expectEqual(five.decode(Double.self, from: body("12345678901234567"), userInfo: [:]), 12_345_678_901_234_568)
    let bare = JSONCoding(configureDecoder: { $0.assumesTopLevelDictionary = true })
    let size = try bare.decode([String: Double].self, from: body(#""width": 1, "height": 12.5"#), userInfo: [:])
    expectEqual(size, ["width": 1, "height": 12.5])
  }

  /// Wherever the digits begin.
  @Test func theyAreFoundAtEachPosition() throws {
    for count in 0..<200 {
      let body = #"{"x":""# + String(repeating: "a", count: count) + #"","id":"# + Self.traps[1] + "}"
      #expect(throws: (any Error).self) { try JSONCoding().decode(Item.self, from: Data(body.utf8), userInfo: [:]) }
    }
  }

  private static let five = JSONCoding(configureDecoder: { $0.allowsJSON5 = true })

  @Test(arguments: ["1e+", "1e-", "5.e+", "0x1e+5", "-0x8000000000000001", "0x20000000000000.0"] + traps)
  func numbersOfJSON5AreErrors(_ number: String) {
    let body = Data("/* '1e+' */ {'a': \(number), b: \"\\\" 1e+\", // 1e+\n}".utf8)
    #expect(throws: (any Error).self) { try Self.five.decode([String: JSON].self, from: body, userInfo: [:]) }
    #expect(throws: (any Error).self) { try Self.five.decode([String: Double].self, from: body, userInfo: [:]) }
    #expect(throws: (any Error).self) { try Self.five.decode([String: Int].self, from: body, userInfo: [:]) }
    for space in ["\u{A0}", "\u{2003}", "\u{2028}", "\u{3000}", "\u{FEFF}"] {
      let body = Data("{a:\(space)\(number)\(space)}".utf8)
      #expect(throws: (any Error).self) { try Self.five.decode([String: Int].self, from: body, userInfo: [:]) }
    }
  }

  /// A regular expression for each number would take minutes.
  @Test func manyNumbersOfJSON5TakeLittleTime() throws {
    let body = Data("[\(Array(repeating: "1.5e0", count: 200_000).joined(separator: ","))]".utf8)
    expectEqual(try Self.five.decode([Double].self, from: body, userInfo: [:]).count, 200_000)
  }

  @Test func otherJSON5IsDecoded() throws {
    struct Five: Decodable {
      let a, b, c, d: Double
      let e: Int
      let text: String
    }
    let body =
      "{a: +.5, 'b': 5., $_9: 0x00000000000000FF, c: -Infinity, d: 1E3, e: 0xFF, /* 1e+ */ text: '\(Self.zeros) \\' 1e+', // 0x1e+5\n}"
    let five = try Self.five.decode(Five.self, from: Data(body.utf8), userInfo: [:])
    expectEqual([five.a, five.b, five.c, five.d], [0.5, 5, -.infinity, 1_000])
    expectEqual(five.e, 255)
    expectEqual(five.text, Self.zeros + " ' 1e+")
  }

  @Test func otherLongNumbersAreDecoded() throws {
    struct Numbers: Decodable {
      let text: String
      let large: Double
      let small: Double
    }
    let body = #"{"text":""# + Self.zeros + #"","large":1"# + Self.zeros + #","small":0."# + Self.zeros + "1}"
    let numbers = try JSONCoding().decode(Numbers.self, from: Data(body.utf8), userInfo: [:])
    expectEqual(numbers.text, Self.zeros)
    expectEqual(numbers.large, 1e200)
    expectEqual(numbers.small, 1e-201)
    expectEqual(try JSON(data: Data("[\(Self.traps[0])]".utf8))[0].int, 10_000_000_000_000_000)
  }
}
