import Foundation

/// Writes the values of parameters as JSON (RFC 8259).
struct JSONWriter {
  let rules: ParameterRules
  private(set) var bytes: [UInt8] = []

  init(rules: ParameterRules) {
    self.rules = rules
  }

  mutating func write(_ value: ParameterValue, depth: Int) throws(ParameterRefusal) {
    switch value {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer, .unsigned, .number, .decimal: bytes.append(contentsOf: try rules.text(of: value).utf8)
    case .string(let text): write(text)
    case .date where rules.dates != .iso8601: bytes.append(contentsOf: try rules.text(of: value).utf8)
    case .date, .data:
      bytes.append(quote)
      bytes.append(contentsOf: try rules.text(of: value).utf8)
      bytes.append(quote)
    case .array(let elements): try write(elements, depth: depth)
    case .object(let object): try write(object, depth: depth)
    }
  }

  private mutating func write(_ elements: [ParameterValue], depth: Int) throws(ParameterRefusal) {
    try check(depth)
    bytes.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      do { try write(element, depth: depth + 1) } catch { throw error.inside("[\(index)]") }
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func write(_ object: ParameterObject, depth: Int) throws(ParameterRefusal) {
    try check(depth)
    bytes.append(UInt8(ascii: "{"))
    for (index, member) in object.sortedByName.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      write(member.name)
      bytes.append(UInt8(ascii: ":"))
      do { try write(member.value, depth: depth + 1) } catch { throw error.inside(member.name) }
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private func check(_ depth: Int) throws(ParameterRefusal) {
    if depth >= ParameterRules.maximumDepth { throw ParameterRefusal(ParameterRefusal.tooDeep) }
  }

  /// Text in quotes; what needs no escape is copied in one go.
  private mutating func write(_ text: String) {
    var text = text
    bytes.append(quote)
    text.withUTF8 { utf8 in
      var start = 0
      var index = 0
      while index < utf8.count {
        let byte = utf8[index]
        index += 1
        guard byte < 0x20 || byte == quote || byte == backslash else { continue }
        bytes.append(contentsOf: utf8[start..<index - 1])
        start = index
        escape(byte)
      }
      bytes.append(contentsOf: utf8[start...])
    }
    bytes.append(quote)
  }

  private mutating func escape(_ byte: UInt8) {
    bytes.append(backslash)
    switch byte {
    case UInt8(ascii: "\n"): bytes.append(UInt8(ascii: "n"))
    case UInt8(ascii: "\r"): bytes.append(UInt8(ascii: "r"))
    case UInt8(ascii: "\t"): bytes.append(UInt8(ascii: "t"))
    case quote, backslash: bytes.append(byte)
    default:
      bytes.append(contentsOf: "u00".utf8)
      bytes.append(byte.highHexDigit)
      bytes.append(byte.lowHexDigit)
    }
  }
}

extension ParameterObject {
  /// All members in the order of their names' UTF-8 bytes.
  var sortedByName: [(name: String, value: ParameterValue)] {
    sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}

private let quote = UInt8(ascii: "\"")
private let backslash = UInt8(ascii: "\\")
