extension JSON: CustomStringConvertible {
  /// The value as JSON text (RFC 8259), without spaces, with the names of each object sorted by their UTF-8 bytes.
  ///
  /// `JSON(data:)` parses it to an equal value, except that NaN and infinities are written as null.
  public var description: String {
    var bytes: [UInt8] = []
    var steps = [Step.value(self)]
    while let step = steps.popLast() {
      switch step {
      case .text(let text): bytes.append(contentsOf: text.utf8)
      case .value(.array(let elements)):
        bytes.append(UInt8(ascii: "["))
        steps.append(.text("]"))
        for (index, element) in elements.enumerated().reversed() {
          steps.append(.value(element))
          if index > 0 { steps.append(.text(",")) }
        }
      case .value(.object(let members)):
        bytes.append(UInt8(ascii: "{"))
        steps.append(.text("}"))
        let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (index, (name, value)) in sorted.enumerated().reversed() {
          steps.append(.value(value))
          steps.append(.name(name))
          if index > 0 { steps.append(.text(",")) }
        }
      case .name(let name):
        bytes.appendJSON(name)
        bytes.append(UInt8(ascii: ":"))
      case .value(let value): value.appendScalar(to: &bytes)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A pending piece of output; the list of them is a stack.
  private enum Step {
    case text(String)
    case name(String)
    case value(JSON)
  }

  private func appendScalar(to bytes: inout [UInt8]) {
    switch self {
    case .bool(let isTrue): bytes.append(contentsOf: (isTrue ? "true" : "false").utf8)
    case .integer(let number): bytes.append(contentsOf: number.description.utf8)
    case .unsigned(let number): bytes.append(contentsOf: number.description.utf8)
    case .number(let number): bytes.append(contentsOf: number.jsonText.utf8)
    case .string(let text): bytes.appendJSON(text)
    case .null, .array, .object: bytes.append(contentsOf: "null".utf8)
    }
  }
}

extension Double {
  /// The shortest digits of this number; a whole number has all digits and `.0`, so that it is parsed as a `Double`.
  fileprivate var jsonText: String {
    guard isFinite else { return "null" }
    if let whole = Int64(exactly: self) { return "\(whole).0" }
    if let whole = UInt64(exactly: self) { return "\(whole).0" }
    return description
  }
}
