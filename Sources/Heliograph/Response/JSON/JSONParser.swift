package struct JSONFault: Error {
  let text: String
  /// The path in the text, whose names may be secret; empty if the error with the fault has the path.
  package var path: [any CodingKey] = []
  /// The position of the fault, as a byte offset in the UTF-8 text; `nil` if it is unknown.
  var offset: Int?

  /// The path; `nil` for the root.
  var location: String? {
    let text = path.pathText
    return text == [any CodingKey]().pathText ? nil : text
  }
  /// The fault and its position, without content of the text, so that it may be logged.
  package var locatedText: String { offset.map { "\(text), at byte \($0)" } ?? text }
}

/// A parser for JSON text; it does not recurse: open arrays and objects are in a list, so that no text can exhaust the
/// stack.
struct JSONParser {
  /// An array or object that has not ended.
  private struct Level {
    let isObject: Bool
    var name = ""
    var elements: [JSON] = []
    var members: [String: JSON] = [:]
    /// The number of complete elements or members, and of those that are not null.
    var count = 0
    var nonNullCount = 0
    /// The start of the current element or member (with its name), and that of the comma before it.
    var memberStart = 0
    var commaStart = 0

    var key: any CodingKey { isObject ? PathKey(stringValue: name) : PathKey(intValue: count) }
    var value: JSON { isObject ? .object(members) : .array(elements) }

    /// Adds a value; returns whether its name is repeated, so that the first value is used, as with `JSONDecoder`.
    mutating func add(_ child: JSON) -> Bool {
      if !isObject {
        elements.append(child)
      } else if let earlier = members.updateValue(child, forKey: name) {
        members[name] = earlier
        return true
      }
      return false
    }
  }

  let bytes: UnsafeBufferPointer<UInt8>
  var index = 0
  private var levels: [Level] = []
  /// Whether an object has had a name twice.
  private(set) var hasRepeatedNames = false
  /// Whether only faults are looked for: no array or object is stored.
  var isLookingForFaults = false
  /// Whether only the positions of nulls are needed: no value is stored, and no number is converted.
  var isLookingForNulls = false
  /// Whether a number at which `JSONDecoder` would trap is a fault.
  var isForDecoder = false
  /// The ranges to remove from the text, in order, so that no null is left in an array or object.
  private(set) var nulls: [Range<Int>] = []

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  func fault(_ text: String) -> JSONFault {
    JSONFault(text: text, path: levels.prefix(8).map(\.key), offset: index)
  }

  mutating func parse() throws(JSONFault) -> JSON {
    while true {
      guard var value = try readStart() else { continue }
      while let closed = try close(with: value) {
        value = closed
        if levels.isEmpty { break }
      }
      if levels.isEmpty {
        skipSpace()
        guard next == nil else { throw fault("unexpected text after the value") }
        return value
      }
    }
  }

  /// Parses a scalar, or the start of an array or object, for which it returns `nil`.
  private mutating func readStart() throws(JSONFault) -> JSON? {
    skipSpace()
    guard let byte = next else { throw fault("unexpected end: expected a value") }
    switch byte {
    case UInt8(ascii: "\""): return .string(try readString())
    case UInt8(ascii: "{"): return try open(isObject: true)
    case UInt8(ascii: "["): return try open(isObject: false)
    case UInt8(ascii: "t"): return try read("true", .bool(true))
    case UInt8(ascii: "f"): return try read("false", .bool(false))
    case UInt8(ascii: "n"): return try read("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try readNumber()
    default: throw fault("unexpected character: expected a value")
    }
  }

  /// Parses the start of an array or object; returns it if it is empty.
  private mutating func open(isObject: Bool) throws(JSONFault) -> JSON? {
    guard levels.count < JSON.maximumDepth else { throw fault("nested deeper than \(JSON.maximumDepth) levels") }
    index += 1
    skipSpace()
    if next == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
      index += 1
      return isObject ? .object([:]) : .array([])
    }
    levels.append(Level(isObject: isObject))
    try beginMember()
    return nil
  }

  /// Adds a value to the innermost level; returns that level's value if it ends here, or the value itself at the root.
  private mutating func close(with child: JSON) throws(JSONFault) -> JSON? {
    guard !levels.isEmpty else { return child }
    let last = levels.count - 1
    let end = index
    if !isLookingForNulls, !isLookingForFaults, levels[last].add(child) { hasRepeatedNames = true }
    levels[last].count += 1
    skipSpace()
    if isLookingForNulls { recordNull(child, at: last, end) }
    switch (next, levels[last].isObject) {
    case (UInt8(ascii: ","), _):
      levels[last].commaStart = index
      index += 1
      try beginMember()
      return nil
    case (UInt8(ascii: "}"), true), (UInt8(ascii: "]"), false):
      index += 1
      return levels.removeLast().value
    case (nil, _): throw fault("unterminated array or object")
    default: throw fault("expected a comma or the end of the array or object")
    }
  }

  /// Records the range to remove for a null, with the comma before it or, for the first element, after it.
  private mutating func recordNull(_ child: JSON, at last: Int, _ end: Int) {
    guard child.isNull else {
      levels[last].nonNullCount += 1
      return
    }
    let isFirst = levels[last].nonNullCount == 0
    nulls.append(
      isFirst
        ? levels[last].memberStart..<(next == UInt8(ascii: ",") ? index + 1 : end) : levels[last].commaStart..<end)
  }

  /// Parses the start of an element or member: in an object, its name.
  private mutating func beginMember() throws(JSONFault) {
    skipSpace()
    levels[levels.count - 1].memberStart = index
    if levels[levels.count - 1].isObject { try readName() }
  }

  private mutating func readName() throws(JSONFault) {
    let last = levels.count - 1
    skipSpace()
    let start = index + 1
    let name: String
    do throws(JSONFault) {
      guard next == UInt8(ascii: "\"") else { throw fault("expected a member name in quotation marks") }
      name = try readString()
    } catch {
      // The name of the level is that of the member before.
      var fault = error
      if levels.count <= fault.path.count { fault.path.removeLast() }
      throw fault
    }
    levels[last].name = isLookingForNulls ? String(decoding: bytes[start..<index - 1], as: UTF8.self) : name
    skipSpace()
    guard next == UInt8(ascii: ":") else { throw fault("expected a colon after the member name") }
    index += 1
  }

  private mutating func read(_ literal: StaticString, _ value: JSON) throws(JSONFault) -> JSON {
    let count = literal.utf8CodeUnitCount
    let matches =
      bytes.count - index >= count && (0..<count).allSatisfy { bytes[index + $0] == literal.utf8Start[$0] }
    guard matches else {
      let rest = bytes[index...]
      guard rest.enumerated().allSatisfy({ $0 < count && $1 == literal.utf8Start[$0] }) else {
        throw fault("unexpected character: expected a value")
      }
      index = bytes.count
      throw fault("unexpected end: expected a value")
    }
    index += count
    return value
  }

  private mutating func skipSpace() {
    while index < bytes.count {
      switch bytes[index] {
      case 0x20, 0x0A, 0x0D, 0x09: index += 1
      default: return
      }
    }
  }
}
