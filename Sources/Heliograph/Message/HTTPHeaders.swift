/// An ordered collection of header fields with case-insensitive names, which may repeat (RFC 9110 §5).
///
/// Two collections are equal if they have the same values for the same names, regardless of the case of the names and of
/// the order of different names. Equal collections have equal hashes.
public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
  /// A header field: a name and a value.
  public struct Field: Sendable, Hashable {
    /// The name as written; comparisons are case-insensitive.
    public let name: String
    /// The value; a response's has no surrounding whitespace.
    public let value: String

    /// Creates a header field; the name may be in any case.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }

    /// Returns whether the names are equal, ignoring case, and the values are equal byte by byte in UTF-8.
    public static func == (left: Field, right: Field) -> Bool {
      left.value.hasSameBytes(as: right.value) && left.name.isEqualIgnoringCase(to: right.name)
    }

    /// Hashes the name in lower case, and the bytes of the value.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name.loweredASCII)
      hasher.combine(bytesOf: value.utf8)
    }
  }

  private var fields: [Field]

  /// Creates an empty collection of header fields.
  public init() { fields = [] }

  /// Creates a collection of the given fields; names may repeat.
  public init(_ fields: some Sequence<Field>) { self.fields = Array(fields) }

  /// Creates header fields from names and values; names may repeat.
  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field(name: $0.0, value: $0.1) }
  }

  /// Accesses the value of a name; several values are joined with `", "` (RFC 9110 §5.3).
  ///
  /// Setting a value replaces all values of the name; `nil` removes them.
  ///
  /// Complexity: O(fields). `Set-Cookie` must not be joined: use ``values(for:)``.
  public subscript(name: String) -> String? {
    get {
      var result: String?
      for field in fields where field.name.isEqualIgnoringCase(to: name) {
        if result?.append(", " + field.value) == nil { result = field.value }
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

  /// Returns all values of a name, one per field.
  ///
  /// Complexity: O(fields).
  public func values(for name: String) -> [String] {
    fields.lazy.filter { $0.name.isEqualIgnoringCase(to: name) }.map(\.value)
  }

  /// Adds a field; other fields with the same name remain.
  public mutating func add(_ value: String, for name: String) {
    fields.append(Field(name: name, value: value))
  }

  mutating func removeAll(where condition: (Field) -> Bool) { fields.removeAll(where: condition) }

  /// Returns whether both share the storage of their fields; `false` does not mean that they differ.
  func hasSameStorage(as other: HTTPHeaders) -> Bool {
    fields.count == other.fields.count
      && fields.withUnsafeBufferPointer { mine in
        other.fields.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress }
      }
  }

  /// Merges other header fields: their values replace all values of the same names.
  ///
  /// Complexity: O(fields), on average.
  public mutating func merge(_ other: HTTPHeaders) {
    if other.isEmpty { return }
    if isEmpty {
      self = other
      return
    }
    if fields.count * other.count <= 1_024 {
      fields.removeAll { mine in other.fields.contains { $0.name.isEqualIgnoringCase(to: mine.name) } }
    } else {
      // A server may send thousands.
      let names = Set(other.fields.map(\.name.loweredASCII))
      fields.removeAll { names.contains($0.name.loweredASCII) }
    }
    fields += other.fields
  }
}

extension HTTPHeaders: RandomAccessCollection {
  /// The position of the first field.
  public var startIndex: Int { fields.startIndex }
  /// The position after the last field.
  public var endIndex: Int { fields.endIndex }
  /// The field at a position.
  public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPHeaders: Hashable {
  private var fieldsByName: [String: [Field]] {
    fields.reduce(into: [:]) { $0[$1.name.loweredASCII, default: []].append($1) }
  }

  /// Returns whether both have the same values for the same names.
  public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
    left.fields == right.fields || (left.count == right.count && left.fieldsByName == right.fieldsByName)
  }

  /// Hashes the values by name.
  public func hash(into hasher: inout Hasher) { hasher.combine(fieldsByName) }
}

extension String {
  /// The text with A to Z in lower case and everything else unchanged: header names are ASCII.
  var loweredASCII: String {
    if utf8.allSatisfy({ !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) { return self }
    var text = self
    return text.withUTF8 { $0.loweredASCII }
  }

  package func isEqualIgnoringCase(to other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    let areEqual = utf8.withContiguousStorageIfAvailable { mine in
      other.utf8.withContiguousStorageIfAvailable { others in
        mine.indices.allSatisfy { mine[$0] == others[$0] || mine[$0].loweredASCII == others[$0].loweredASCII }
      }
    }
    // A bridged string has no contiguous bytes.
    return (areEqual ?? nil) ?? utf8.elementsEqual(other.utf8) { $0.loweredASCII == $1.loweredASCII }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// The UTF-8 text with A to Z in lower case and everything else unchanged.
  var loweredASCII: String {
    String(unsafeUninitializedCapacity: count) { $0.initialize(from: lazy.map(\.loweredASCII)).index }
  }
}

extension UInt8 {
  var loweredASCII: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}

extension HTTPHeaders.Field: _Summarized {
  /// Name and value on one line; `<redacted>` replaces a secret value and secrets within other values.
  ///
  /// In `Location`, `Content-Location` and `Referer`, the user name, password and query of the URL are omitted.
  public var description: String { "\(loggedName): \(loggedValue)" }
  /// The name, and the value as in ``description``.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": loggedName, "value": loggedValue], displayStyle: .struct)
  }

  /// The name up to its first invalid character: a whole field with its credential may have been set as a name.
  var loggedName: String {
    let token = name.utf8.prefix { $0.isTokenByte }
    return token.endIndex == name.endIndex ? name : Substring(token) + "…"
  }

  private var loggedValue: String {
    if isSecret { return "<redacted>" }
    let isAddress = ["location", "content-location", "referer"].contains(name.loweredASCII)
    return isAddress ? value.redactedAddress : redactedValue.singleLine
  }
}

extension HTTPHeaders: _Summarized {
  /// The fields, one per line; `<redacted>` replaces secret values.
  ///
  /// Values contain no line breaks: control characters are escaped.
  public var description: String { map(\.description).joined(separator: "\n") }
  /// The fields, without secrets.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: Array(self), displayStyle: .collection) }
}
