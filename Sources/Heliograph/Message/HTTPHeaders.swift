/// Header fields: names without regard to case, each with one value or several, in the order in which they were added.
///
/// Two collections are equal if they have the same values for the same names, whatever the case of the names and
/// the order between different ones; equal collections hash equal. RFC 9110 §5.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
  /// One line of a header.
  public struct Field: Sendable, Hashable {
    /// The name as it was written; compared without regard to case.
    public let name: String
    /// The value.
    public let value: String

    /// Makes a field.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }

    /// Whether the names are equal without regard to case, and the values are equal.
    public static func == (left: Field, right: Field) -> Bool {
      left.value == right.value && left.name.isEqualIgnoringCase(to: right.name)
    }

    /// Hashes the name in lower case, and the value.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name.loweredASCII)
      hasher.combine(value)
    }
  }

  private var fields: [Field]

  /// Makes an empty header.
  public init() {
    fields = []
  }

  /// Makes a header of fields; names may repeat.
  public init(_ fields: some Sequence<Field>) {
    self.fields = Array(fields)
  }

  /// Makes a header of names and values; names may repeat.
  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field(name: $0.0, value: $0.1) }
  }

  /// The value of a name; several are joined with `", "` (RFC 9110 §5.3).
  ///
  /// Setting replaces them all; `nil` removes them.
  ///
  /// Complexity: O(fields). `Set-Cookie` must not be joined: use ``values(for:)``.
  public subscript(name: String) -> String? {
    get {
      var result: String?
      for field in fields where field.name.isEqualIgnoringCase(to: name) {
        result = result.map { $0 + ", " + field.value } ?? field.value
      }
      return result
    }
    set {
      guard let newValue else { return fields.removeAll { $0.name.isEqualIgnoringCase(to: name) } }
      guard let first = fields.firstIndex(where: { $0.name.isEqualIgnoringCase(to: name) }) else {
        return add(newValue, for: name)
      }
      fields[first] = Field(name: name, value: newValue)
      let rest = fields[(first + 1)...].filter { !$0.name.isEqualIgnoringCase(to: name) }
      fields.replaceSubrange((first + 1)..., with: rest)
    }
  }

  /// All values of a name, one for each field.
  ///
  /// Complexity: O(fields).
  public func values(for name: String) -> [String] {
    fields.lazy.filter { $0.name.isEqualIgnoringCase(to: name) }.map(\.value)
  }

  /// Adds a field; those of the same name stay.
  public mutating func add(_ value: String, for name: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Removes the fields for which a condition holds.
  mutating func removeAll(where condition: (Field) -> Bool) {
    fields.removeAll(where: condition)
  }

  /// Sets each of the other header's names to its values there.
  public mutating func merge(_ other: HTTPHeaders) {
    if other.isEmpty { return }
    if isEmpty {
      self = other
      return
    }
    fields.removeAll { mine in other.fields.contains { $0.name.isEqualIgnoringCase(to: mine.name) } }
    fields += other.fields
  }
}

extension HTTPHeaders: RandomAccessCollection {
  /// The first position.
  public var startIndex: Int { fields.startIndex }
  /// The position after the last.
  public var endIndex: Int { fields.endIndex }
  /// The field at a position.
  public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPHeaders: Hashable {
  /// The values of each name, in their order.
  private var valuesByName: [String: [String]] {
    fields.reduce(into: [:]) { $0[$1.name.loweredASCII, default: []].append($1.value) }
  }

  /// Whether both have the same values for the same names.
  public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.fields == right.fields || (left.count == right.count && left.valuesByName == right.valuesByName)
  }

  /// Hashes the values by name.
  public func hash(into hasher: inout Hasher) { hasher.combine(valuesByName) }
}

extension String {
  /// With A to Z in lower case and all else as it is: header names are ASCII.
  var loweredASCII: String {
    if utf8.allSatisfy({ !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) { return self }
    return String(decoding: utf8.map(\.loweredASCII), as: UTF8.self)
  }

  func isEqualIgnoringCase(to other: String) -> Bool {
    utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.loweredASCII == $1.loweredASCII }
  }
}

extension UInt8 {
  var loweredASCII: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}
