/// A fault in JSON text.
struct JSONFault: Error {
  let text: String
  let path: [any CodingKey]
  /// The position of the fault, in bytes of UTF-8.
  let offset: Int

  var reason: String { "\(path.pathText): \(text), at byte \(offset)" }
}

/// A parser for JSON text.
///
/// Open arrays and objects are kept in a list instead of on the stack, so that no text can exhaust the stack of a
/// thread.
struct JSONParser {
  /// An array or object that has not ended.
  private struct Level {
    let isObject: Bool
    var name = ""
    var elements: [JSON] = []
    var members: [String: JSON] = [:]

    var key: any CodingKey { isObject ? PartKey(stringValue: name) : PartKey(intValue: elements.count) }
    var value: JSON { isObject ? .object(members) : .array(elements) }

    mutating func add(_ part: JSON) {
      guard isObject else { return elements.append(part) }
      // Of equal names the first one is kept, as with `JSONDecoder`.
      if let earlier = members.updateValue(part, forKey: name) { members[name] = earlier }
    }
  }

  let bytes: UnsafeBufferPointer<UInt8>
  var index = 0
  private var levels: [Level] = []

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  /// The next byte; `nil` at the end.
  var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  func fault(_ text: String) -> JSONFault {
    JSONFault(text: text, path: levels.prefix(8).map(\.key), offset: index)
  }

  /// Parses the whole text.
  mutating func parse() throws(JSONFault) -> JSON {
    while true {
      guard var done = try readStart() else { continue }
      while let closed = try close(with: done) {
        done = closed
        if levels.isEmpty { break }
      }
      if levels.isEmpty {
        skipSpace()
        guard next == nil else { throw fault("something is behind the value") }
        return done
      }
    }
  }

  /// Parses a value without parts, or the start of an array or object, for which it returns `nil`.
  private mutating func readStart() throws(JSONFault) -> JSON? {
    skipSpace()
    guard let byte = next else { throw fault("the text ends where a value is expected") }
    switch byte {
    case UInt8(ascii: "\""): return .string(try readString())
    case UInt8(ascii: "{"): return try open(isObject: true)
    case UInt8(ascii: "["): return try open(isObject: false)
    case UInt8(ascii: "t"): return try read("true", .bool(true))
    case UInt8(ascii: "f"): return try read("false", .bool(false))
    case UInt8(ascii: "n"): return try read("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try readNumber()
    default: throw fault("no value begins like this")
    }
  }

  /// Parses the start of an array or object; returns it if it is empty.
  private mutating func open(isObject: Bool) throws(JSONFault) -> JSON? {
    guard levels.count < JSON.maximumDepth else { throw fault("more than \(JSON.maximumDepth) levels") }
    index += 1
    skipSpace()
    if next == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
      index += 1
      return isObject ? .object([:]) : .array([])
    }
    levels.append(Level(isObject: isObject))
    if isObject { try readName() }
    return nil
  }

  /// Adds a value to its level and parses what follows; returns the value of that level if it ends there.
  ///
  /// Without a level it returns the value itself.
  private mutating func close(with part: JSON) throws(JSONFault) -> JSON? {
    guard !levels.isEmpty else { return part }
    let last = levels.count - 1
    levels[last].add(part)
    skipSpace()
    switch (next, levels[last].isObject) {
    case (UInt8(ascii: ","), let isObject):
      index += 1
      if isObject { try readName() }
      return nil
    case (UInt8(ascii: "}"), true), (UInt8(ascii: "]"), false):
      index += 1
      return levels.removeLast().value
    case (nil, _): throw fault("the text ends inside of an array or object")
    default: throw fault("neither a comma nor an end")
    }
  }

  private mutating func readName() throws(JSONFault) {
    let last = levels.count - 1
    skipSpace()
    guard next == UInt8(ascii: "\"") else { throw fault("no name begins like this") }
    levels[last].name = try readString()
    skipSpace()
    guard next == UInt8(ascii: ":") else { throw fault("no colon behind the name") }
    index += 1
  }

  private mutating func read(_ word: StaticString, _ value: JSON) throws(JSONFault) -> JSON {
    let count = word.utf8CodeUnitCount
    let isThere =
      bytes.count - index >= count && (0..<count).allSatisfy { bytes[index + $0] == word.utf8Start[$0] }
    guard isThere else { throw fault("no value begins like this") }
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
