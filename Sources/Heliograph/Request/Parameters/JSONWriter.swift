import Foundation

/// A serializer of parameter values as JSON (RFC 8259).
struct JSONWriter {
  let rules: ParameterRules
  private(set) var bytes: [UInt8] = []

  mutating func write(_ value: ParameterValue, depth: Int) throws(ParameterError) {
    switch value {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer, .unsigned, .number, .decimal: bytes.append(contentsOf: try rules.text(of: value).utf8)
    case .string(let text): bytes.appendJSON(text)
    case .date where (rules.dates ?? .iso8601) != .iso8601: bytes.append(contentsOf: try rules.text(of: value).utf8)
    case .date, .data:
      bytes.append(quote)
      bytes.append(contentsOf: try rules.text(of: value).utf8)
      bytes.append(quote)
    case .array(let elements): try write(elements, depth: depth)
    case .object(let object): try write(object, depth: depth)
    }
  }

  private mutating func write(_ elements: [ParameterValue], depth: Int) throws(ParameterError) {
    try check(depth)
    bytes.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      do { try write(element, depth: depth + 1) } catch { throw error.inside("[\(index)]") }
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func write(_ object: ParameterObject, depth: Int) throws(ParameterError) {
    try check(depth)
    bytes.append(UInt8(ascii: "{"))
    for (index, member) in object.members(rules.keys).sortedByName.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.appendJSON(member.name)
      bytes.append(UInt8(ascii: ":"))
      do { try write(member.value, depth: depth + 1) } catch { throw error.inside(member.name) }
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private func check(_ depth: Int) throws(ParameterError) {
    if depth >= ParameterRules.maximumDepth { throw ParameterError(ParameterError.tooDeep) }
  }
}

extension Sequence<(name: String, value: ParameterValue)> {
  /// The members sorted by the UTF-8 bytes of their names.
  var sortedByName: [(name: String, value: ParameterValue)] {
    sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}

private let quote = UInt8(ascii: "\"")

extension [UInt8] {
  /// Appends a text as a JSON string (RFC 8259 §7); runs without escapes are copied at once.
  package mutating func appendJSON(_ text: String) {
    var text = text
    append(quote)
    text.withUTF8 { utf8 in
      var start = 0
      var index = 0
      while index < utf8.count {
        let byte = utf8[index]
        index += 1
        guard byte < 0x20 || byte == quote || byte == backslash else { continue }
        append(contentsOf: utf8[start..<index - 1])
        start = index
        appendEscape(of: byte)
      }
      append(contentsOf: utf8[start...])
    }
    append(quote)
  }

  private mutating func appendEscape(of byte: UInt8) {
    append(backslash)
    switch byte {
    case UInt8(ascii: "\n"): append(UInt8(ascii: "n"))
    case UInt8(ascii: "\r"): append(UInt8(ascii: "r"))
    case UInt8(ascii: "\t"): append(UInt8(ascii: "t"))
    case quote, backslash: append(byte)
    default:
      append(contentsOf: "u00".utf8)
      append(byte.highHexDigit)
      append(byte.lowHexDigit)
    }
  }
}

private let backslash = UInt8(ascii: "\\")
