import Foundation
import Heliograph

/// What a server makes of pairs: texts inside objects; an array is an object whose names are numbers.
package indirect enum Tree {
  case text(String)
  case object([String: Tree])

  /// Reads pairs by splitting their names at the brackets.
  package init(_ pairs: [ParameterPair]) {
    self = .object([:])
    for pair in pairs {
      let parts = pair.name.unicodeScalars.split(separator: "[", omittingEmptySubsequences: false)
      let steps = parts.enumerated().map { String(String.UnicodeScalarView($1.dropLast($0 > 0 ? 1 : 0))) }
      insert(.text(pair.value ?? ""), at: steps[...])
    }
  }

  private mutating func insert(_ tree: Tree, at steps: ArraySlice<String>) {
    guard let first = steps.first else {
      self = tree
      return
    }
    guard case .object(var members) = self else { return }
    var child = members[first] ?? .object([:])
    child.insert(tree, at: steps.dropFirst())
    members[first] = child
    self = .object(members)
  }

  /// Whether it is what was written; arrays and objects without values leave no trace in pairs.
  package func matches(_ value: ParameterValue) -> Bool {
    switch (self, value) {
    case (.text(let text), _): return value.isMeant(by: text)
    case (.object(let found), .array(let elements)):
      return matches(found, elements.enumerated().map { (String($0), $1) })
    case (.object(let found), .object(let object)): return matches(found, object.map { ($0.name, $0.value) })
    default: return false
    }
  }

  private func matches(_ found: [String: Tree], _ values: [(String, ParameterValue)]) -> Bool {
    let visible = values.filter { $0.1.isVisible }
    return found.count == visible.count && visible.allSatisfy { found[$0.0]?.matches($0.1) == true }
  }
}

/// What a server makes of JSON.
package indirect enum Decoded: Decodable {
  case null
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  case number(Double)
  case text(String)
  case array([Decoded])
  case object([String: Decoded])

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let isTrue = try? container.decode(Bool.self) {
      self = .bool(isTrue)
    } else if let integer = try? container.decode(Int64.self) {
      self = .integer(integer)
    } else if let unsigned = try? container.decode(UInt64.self) {
      self = .unsigned(unsigned)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let array = try? container.decode([Decoded].self) {
      self = .array(array)
    } else {
      self = .object(try container.decode([String: Decoded].self))
    }
  }

  /// Whether it is what was written.
  package func matches(_ value: ParameterValue) -> Bool {
    switch (self, value) {
    case (.null, .null): true
    case (.bool(let found), .bool(let isTrue)): found == isTrue
    case (.integer(let found), .integer(let integer)): found == integer
    case (.integer(let found), .unsigned(let unsigned)): found == Int64(exactly: unsigned)
    case (.unsigned(let found), .unsigned(let unsigned)): found == unsigned
    case (.integer(let found), .number(let number)): Double(found) == number
    case (.unsigned(let found), .number(let number)): Double(found) == number
    case (.number(let found), .number(let number)): found == number
    case (.text(let text), .string), (.text(let text), .date), (.text(let text), .data): value.isMeant(by: text)
    case (.array(let found), .array(let elements)):
      found.count == elements.count && zip(found, elements).allSatisfy { $0.matches($1) }
    case (.object(let found), .object(let object)):
      found.count == object.count && object.allSatisfy { found[$0.name]?.matches($0.value) == true }
    default: false
    }
  }
}

extension ParameterValue {
  /// Whether a text means the value, read by Foundation.
  fileprivate func isMeant(by text: String) -> Bool {
    switch self {
    case .null: text.isEmpty
    case .bool(let isTrue): text == (isTrue ? "true" : "false")
    case .integer(let integer): text == integer.description
    case .unsigned(let unsigned): text == unsigned.description
    case .number(let number): Double(text) == number && !text.contains("e")
    case .decimal(let decimal): Decimal(string: text) == decimal
    case .string(let string): text.utf8.elementsEqual(string.utf8)
    case .data(let data): Data(base64Encoded: text) == data
    case .date(let date):
      (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))))
        .map { abs($0.timeIntervalSince(date)) < 0.000_6 } ?? false
    case .array, .object: false
    }
  }

  /// Whether there is any value inside.
  fileprivate var isVisible: Bool {
    switch self {
    case .array(let elements): elements.contains { $0.isVisible }
    case .object(let object): object.contains { $0.value.isVisible }
    default: true
    }
  }
}
