/// The byte range of a partial response (RFC 9110 §14.4).
package struct ContentRange: Sendable, Hashable {
  let first: Int
  package let last: Int
  /// The length of the whole representation; `nil` if it is unknown.
  package let length: Int?

  var range: Range<Int> { first..<(last + 1) }

  /// The value of a `Content-Range` field.
  var text: String { "bytes \(first)-\(last)/\(length.map(String.init) ?? "*")" }

  /// Creates a range; `nil` if it is empty or exceeds the length.
  init?(first: Int, last: Int, length: Int?) {
    guard first >= 0, first <= last, last < length ?? .max else { return nil }
    (self.first, self.last, self.length) = (first, last, length)
  }

  /// Parses the value of the field; `nil` if it is invalid, has no range or uses another unit than bytes.
  init?(_ text: String) {
    var text = text
    let parts = text.withUTF8 { bytes -> (Int, Int, Int?)? in
      let value = bytes.trimmed
      let unit = value.prefix { !$0.isSpaceOrTab }
      guard unit.isEqualIgnoringCase(to: "bytes"), let slash = value.firstIndex(of: UInt8(ascii: "/")),
        unit.endIndex < slash, let dash = value[..<slash].firstIndex(of: UInt8(ascii: "-")), unit.endIndex < dash,
        let first = value[unit.endIndex..<dash].trimmed.position,
        let last = value[(dash + 1)..<slash].trimmed.position
      else { return nil }
      let length = value[(slash + 1)...].trimmed
      if length.elementsEqual("*".utf8) { return (first, last, nil) }
      return length.position.map { (first, last, $0) }
    }
    guard let (first, last, length) = parts else { return nil }
    self.init(first: first, last: last, length: length)
  }

  /// Parses the field of a header; `nil` if there is none or more than one.
  package init?(_ headers: HTTPHeaders) {
    let values = headers.values(for: "Content-Range")
    guard values.count == 1 else { return nil }
    self.init(values[0])
  }
}

/// A requested byte range (RFC 9110 §14.1.2).
enum ByteRange: Sendable, Hashable {
  /// The bytes from a position to the end.
  case from(Int)
  /// The bytes from one position through another.
  case between(Int, Int)
  /// The last bytes of the representation; the value is their count.
  case suffix(Int)

  /// Parses the value of a `Range` field; `nil` if it is malformed, or has several ranges or another unit than bytes.
  init?(_ field: String) {
    var field = field
    let range = field.withUTF8 { bytes -> ByteRange? in
      let value = bytes.trimmed
      guard let equals = value.firstIndex(of: UInt8(ascii: "=")),
        value[..<equals].trimmed.isEqualIgnoringCase(to: "bytes"),
        let dash = value[equals...].firstIndex(of: UInt8(ascii: "-"))
      else { return nil }
      let (start, end) = (value[(equals + 1)..<dash].trimmed, value[(dash + 1)...].trimmed)
      if start.isEmpty { return end.position.map { .suffix($0) } }
      guard let first = start.position else { return nil }
      if end.isEmpty { return .from(first) }
      return end.position.flatMap { first <= $0 ? .between(first, $0) : nil }
    }
    guard let range else { return nil }
    self = range
  }

  /// Returns the positions of the bytes in a representation; `nil` if the range is outside of it.
  ///
  /// With an unknown length, only ``between(_:_:)`` has positions.
  func resolved(length: Int?) -> Range<Int>? {
    guard let length else {
      if case .between(let first, let last) = self { return first..<(last + 1) }
      return nil
    }
    switch self {
    case .from(let first): return first < length ? first..<length : nil
    case .between(let first, let last): return first < length ? first..<min(last + 1, length) : nil
    case .suffix(let count): return count > 0 && length > 0 ? max(0, length - count)..<length : nil
    }
  }
}

extension FieldBytes {
  /// The position that the digits form; `nil` if empty, not all digits or too large.
  fileprivate var position: Int? {
    guard !isEmpty, allSatisfy(\.isDigit), let value = Int(String(decoding: self, as: UTF8.self)) else { return nil }
    // The end of the range is one more, and must not overflow.
    return value < .max ? value : nil
  }
}
