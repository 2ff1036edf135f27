import Foundation
import Heliograph
import HeliographTesting
import TestSupport

/// A response that no server should send, from `Tests/Fixtures/responses.txt`, whose first lines say how it is written.
package struct MalformedResponse: Sendable, CustomStringConvertible {
  /// How it goes on when all is written.
  package enum Ending: String, Sendable { case close, reset, hold, early }

  package let name: String
  package private(set) var bytes = Data()
  package private(set) var ending = Ending.close
  package private(set) var expectations: [String: String] = [:]

  package init(name: String, expectations: [String: String] = [:]) {
    self.name = name
    self.expectations = expectations
  }

  package var description: String { name }

  package var response: LoopbackResponse {
    switch ending {
    case .close, .early: .script([.bytes(bytes), .close])
    case .reset: .script([.bytes(bytes), .reset])
    case .hold: .script([.bytes(bytes), .hold])
    }
  }

  /// What must come of it with this libcurl; `nil` where it is not asked.
  package func expected(over kind: TransportKind) -> Data? {
    let later = expectations.filter { key, _ in
      let words = key.split(separator: " ")
      return words.count == 2 && words[0] == kind.rawValue && Libcurl.isAtLeast(String(words[1]))
    }
    // The latest version that is not later than this one.
    let key = later.keys.max { $0.compare($1, options: .numeric) == .orderedAscending } ?? kind.rawValue
    return expectations[key].flatMap { $0.hasPrefix("- ") ? nil : Self.bytes(of: $0) }
  }

  package static let all: [MalformedResponse] = {
    guard let text = try? Repository.text(of: "Tests/Fixtures/responses.txt") else { return [] }
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
