extension JSON {
  /// The value of a name; ``null`` if this is no object or has no such name.
  public subscript(name: String) -> JSON {
    guard case .object(let members) = self else { return .null }
    return members[name] ?? .null
  }

  /// The element at a place, counted from 0; ``null`` if this is no array or has no such place.
  public subscript(index: Int) -> JSON {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return .null }
    return elements[index]
  }

  /// The text; `nil` if this is no string: a number is none.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The whole number; `nil` if this is no number, has a fraction or does not fit: `2.0` is 2, the text `"2"` is none.
  public var int: Int? {
    switch self {
    case .integer(let value): Int(exactly: value)
    case .unsigned(let value): Int(exactly: value)
    case .number(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The number, or the nearest `Double` to it; `nil` if this is no number: a text is none.
  public var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The truth value; `nil` if this is none: neither 1 nor `"true"` is one.
  public var bool: Bool? {
    if case .bool(let isTrue) = self { isTrue } else { nil }
  }

  /// The elements; `nil` if this is no array.
  public var array: [JSON]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The named values; `nil` if this is no object.
  public var object: [String: JSON]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// Whether this is ``null``: it was there as null, or was not there at all.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// What kind of value it is, in JSON's words.
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
