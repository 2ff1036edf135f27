import Foundation
import Heliograph
import HeliographTesting

/// A response that no server should send, from `Tests/Fixtures/responses.txt`, whose first lines say how it is written.
struct MalformedResponse: Sendable, CustomStringConvertible {
  /// How it goes on when all is written.
  enum Ending: String, Sendable { case close, reset, hold, early }

  let name: String
  private(set) var bytes = Data()
  private(set) var ending = Ending.close
  private(set) var expectations: [String: String] = [:]

  var description: String { name }

  var response: LoopbackResponse {
    switch ending {
    case .close, .early: .script([.bytes(bytes), .close])
    case .reset: .script([.bytes(bytes), .reset])
    case .hold: .script([.bytes(bytes), .hold])
    }
  }

  /// What must come of it; `nil` where it is not asked.
  func expected(over kind: TransportKind) -> Data? {
    expectations[kind.rawValue].flatMap { $0.hasPrefix("- ") ? nil : Self.bytes(of: $0) }
  }

  static let all: [MalformedResponse] = {
    let file = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fixtures/responses.txt")
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
    var responses: [MalformedResponse] = []
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      if line.hasPrefix("= ") {
        responses.append(MalformedResponse(name: String(line.dropFirst(2))))
      } else if !responses.isEmpty {
        responses[responses.count - 1].add(line)
      }
    }
    return responses
  }()

  private mutating func add(_ line: Substring) {
    let content = String(line.dropFirst(2))
    if line.hasPrefix("> ") {
      bytes.append(Self.bytes(of: content))
    } else if line.hasPrefix("! ") {
      ending = Ending(rawValue: content) ?? .close
    } else if let colon = line.range(of: ": ") {
      expectations[String(line[..<colon.lowerBound])] = String(line[colon.upperBound...])
    }
  }

  /// The bytes that a text with escapes stands for.
  private static func bytes(of text: String) -> Data {
    var rest = text.utf8[...]
    return bytes(of: &rest, isRepeated: false)
  }

  private static func bytes(of rest: inout Substring.UTF8View, isRepeated: Bool) -> Data {
    var bytes = Data()
    while let byte = rest.popFirst() {
      if isRepeated, byte == UInt8(ascii: "}") { break }
      guard byte == UInt8(ascii: "\\"), let kind = rest.popFirst() else {
        bytes.append(byte)
        continue
      }
      switch kind {
      case UInt8(ascii: "r"): bytes.append(13)
      case UInt8(ascii: "n"): bytes.append(10)
      case UInt8(ascii: "t"): bytes.append(9)
      case UInt8(ascii: "0"): bytes.append(0)
      case UInt8(ascii: "x"):
        bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
        rest = rest.dropFirst(2)
      case UInt8(ascii: "{"):
        let digits = String(decoding: rest.prefix { $0 != 0x20 }, as: UTF8.self)
        rest = rest.dropFirst(digits.utf8.count + 1)
        let part = Self.bytes(of: &rest, isRepeated: true)
        for _ in 0..<(Int(digits) ?? 0) { bytes.append(part) }
      default: bytes.append(kind)
      }
    }
    return bytes
  }
}
