extension JSON {
  /// The value for a name; ``null`` if this is not an object or has no such name.
  public subscript(name: String) -> JSON {
    guard case .object(let members) = self else { return .null }
    return members[name] ?? .null
  }

  /// The element at an index; ``null`` if this is not an array or the index is out of bounds.
  public subscript(index: Int) -> JSON {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return .null }
    return elements[index]
  }

  /// The string; `nil` for any other kind of value, such as a number.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The integer; `nil` if this is not a number, has a fraction or does not fit into an `Int`.
  ///
  /// `2.0` is 2. Strings are not converted.
  public var int: Int? {
    switch self {
    case .integer(let value): Int(exactly: value)
    case .unsigned(let value): Int(exactly: value)
    case .number(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The number as the nearest `Double`; `nil` if this is not a number.
  ///
  /// Strings are not converted.
  public var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The Boolean value; `nil` for any other kind: numbers and strings are not converted.
  public var bool: Bool? {
    if case .bool(let isTrue) = self { isTrue } else { nil }
  }

  /// The elements; `nil` if this is not an array.
  public var array: [JSON]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members; `nil` if this is not an object.
  public var object: [String: JSON]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// Whether this is ``null``: a null in the JSON text, or a missing value.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The name of the kind of value in JSON, such as `array`.
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "bool"
    case .integer, .unsigned, .number: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }
}
