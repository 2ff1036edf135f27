/// Any JSON value, for responses whose structure no type describes.
///
/// ```swift
/// let price = json["data"]["items"][0]["price"].double
/// ```
/// Access never traps: a missing value is ``null``. Literals create values: `["id": 1, "tags": ["a", nil]]`.
///
/// Values are equal if they have the same meaning: `1`, `1.0` and an ``unsigned(_:)`` 1 are equal, and the order of
/// names makes no difference. Strings are compared as `String` values. NaN, which JSON text cannot contain, is not
/// equal to itself.
///
/// `JSON(data:)` and ``description`` support texts as deep as ``maximumDepth``. A `JSON` inside another decodable or
/// encodable type may have ``maximumNestedDepth`` levels, because decoders and encoders are recursive.
public enum JSON: Sendable {
  /// Null.
  case null
  /// A Boolean value.
  case bool(Bool)
  /// An integer in the range of `Int64`.
  case integer(Int64)
  /// An unsigned integer; the parser uses this case only above `Int64.max`.
  case unsigned(UInt64)
  /// Any other number: the nearest `Double`.
  case number(Double)
  /// A string.
  case string(String)
  /// An array.
  case array([JSON])
  /// An object.
  case object([String: JSON])

  /// The maximum depth of arrays and objects in JSON text, including the outermost: 1,024.
  ///
  /// Even deallocating a deeper value may exceed the 512 KiB stack of a background thread on Apple's platforms.
  public static let maximumDepth = 1_024

  /// The maximum depth of arrays and objects for a decoder or an encoder: 64.
  ///
  /// Those of Foundation use up to 5 KiB of stack per level in a debug build, so 64 levels fit into 512 KiB.
  public static let maximumNestedDepth = 64
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Creates ``null``.
  public init(nilLiteral: ()) { self = .null }

  /// Creates a Boolean value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Creates an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// Creates a number.
  public init(floatLiteral value: Double) { self = .number(value) }

  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Creates an array.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }

  /// Creates an object; of values with the same name the last one is used.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(elements) { $1 })
  }
}

extension JSON: EmptyBodyDecodable {
  /// The value of an empty body: ``null``.
  public static var emptyBodyValue: JSON { .null }
}

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
