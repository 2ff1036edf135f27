public import Foundation

extension JSON {
  /// Parses JSON text (RFC 8259), in one pass and without recursion.
  ///
  /// The encoding is UTF-8, or UTF-16 or UTF-32 with a byte order mark or as detected by RFC 4627 §3. Of two values
  /// with the same name the first one is used, as with `JSONDecoder`. Integers from -2^63 to 2^64 - 1 keep all
  /// digits, even if written with an exponent. Other numbers become the nearest `Double`.
  ///
  /// - Parameter data: The complete JSON text.
  /// - Throws: A `processing` error with the code ``NetworkError/Code/malformedBody`` for invalid JSON, for a number
  ///   that is too large for a `Double`, and for more levels than ``maximumDepth``. Its reason names the path and the
  ///   offset in the UTF-8 text.
  public init(data: Data) throws(NetworkError) {
    do throws(JSONFault) {
      self = try Self.parse(data)
    } catch {
      // Quoted, and therefore not logged, because the path consists of names from the text.
      let failure = NetworkError(.malformedBody, reason: error.locatedText)
      throw error.location.map { failure.withExcerpt("at \($0)") } ?? failure
    }
  }

  /// Returns the first fault in JSON text, with its position; `nil` if the text is valid JSON.
  package static func fault(in data: Data) -> JSONFault? {
    do throws(JSONFault) {
      try withText(data) { (parser, _) throws(JSONFault) in
        parser.isLookingForFaults = true
        _ = try parser.parse()
      }
      return nil
    } catch {
      return error
    }
  }

  /// Whether a text is the beginning of JSON, without its end.
  static func isCut(_ data: Data) -> Bool { fault(in: data).map { $0.offset == data.count } ?? false }

  static func parse(_ data: Data) throws(JSONFault) -> JSON {
    try parseNames(data).value
  }

  /// Parses JSON text; also returns whether an object has a name twice, so that the value lacks a part of the text.
  static func parseNames(_ data: Data) throws(JSONFault) -> (value: JSON, hasRepeatedNames: Bool) {
    try withText(data) { (parser, _) throws(JSONFault) in (try parser.parse(), parser.hasRepeatedNames) }
  }

  /// Returns JSON text without the nulls in its arrays and objects; the rest is unchanged.
  static func textWithoutNulls(_ data: Data) throws(JSONFault) -> Data {
    try withText(data) { (parser, text) throws(JSONFault) in
      parser.isLookingForNulls = true
      _ = try parser.parse()
      if parser.nulls.isEmpty { return text }
      var (result, start) = (Data(), 0)
      for range in parser.nulls {
        result += text.dropFirst(start).prefix(range.lowerBound - start)
        start = range.upperBound
      }
      return result + text.dropFirst(start)
    }
  }

  static func withText<Value>(
    _ data: Data, _ read: (inout JSONParser, Data) throws(JSONFault) -> Value
  ) throws(JSONFault) -> Value {
    guard let text = TextEncoding.utf8(data) else {
      throw JSONFault(text: "the text is not in the encoding that it begins with", path: [], offset: 0)
    }
    let result = text.withUnsafeBytes { bytes in
      Result { () throws(JSONFault) in
        var parser = JSONParser(bytes.bindMemory(to: UInt8.self))
        return try read(&parser, text)
      }
    }
    return try result.get()
  }
}

enum TextEncoding {
  /// Returns the text in UTF-8 without a byte order mark; does not check whether UTF-8 is well-formed.
  static func utf8(_ data: Data) -> Data? {
    if data.starts(with: [0xEF, 0xBB, 0xBF]) { return data.dropFirst(3) }
    guard let (encoding, bomByteCount) = wide(Array(data.prefix(4))) else { return data }
    let text = Data(data.dropFirst(bomByteCount))
    // Rejected, because Foundation would ignore an incomplete code unit at the end.
    let unitByteCount = encoding == .utf16BigEndian || encoding == .utf16LittleEndian ? 2 : 4
    guard text.count.isMultiple(of: unitByteCount) else { return nil }
    return String(data: text, encoding: encoding).map { Data($0.utf8) }
  }

  private static func wide(_ prefix: [UInt8]) -> (encoding: String.Encoding, bomByteCount: Int)? {
    if prefix == [0, 0, 0xFE, 0xFF] { return (.utf32BigEndian, 4) }
    if prefix == [0xFF, 0xFE, 0, 0] { return (.utf32LittleEndian, 4) }
    if prefix.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
    if prefix.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
    guard prefix.count >= 2 else { return nil }
    // Without a byte order mark: the text begins with an ASCII character, which is never zero.
    let isFour = prefix.count == 4
    let isWide = isFour && prefix[2] == 0 && prefix[3] == 0
    switch (prefix[0] == 0, prefix[1] == 0) {
    case (true, true): return isFour ? (.utf32BigEndian, 0) : nil
    case (true, false): return (.utf16BigEndian, 0)
    case (false, true): return isWide ? (.utf32LittleEndian, 0) : (.utf16LittleEndian, 0)
    case (false, false): return nil
    }
  }
}

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
      case .value(.bool(let isTrue)): bytes.append(contentsOf: (isTrue ? "true" : "false").utf8)
      case .value(.integer(let number)): bytes.append(contentsOf: number.description.utf8)
      case .value(.unsigned(let number)): bytes.append(contentsOf: number.description.utf8)
      case .value(.number(let number)): bytes.append(contentsOf: number.jsonText.utf8)
      case .value(.string(let text)): bytes.appendJSON(text)
      case .value(.null): bytes.append(contentsOf: "null".utf8)
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
}

extension Double {
  /// The shortest digits of this number; a whole number has all digits and `.0`, so that below 2^53 it is no integer
  /// when parsed.
  fileprivate var jsonText: String {
    guard isFinite else { return "null" }
    if let whole = Int64(exactly: self) { return "\(whole).0" }
    if let whole = UInt64(exactly: self) { return "\(whole).0" }
    return description
  }
}
