/// Any JSON value, for responses whose shape no type describes.
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
  /// A Boolean.
  case bool(Bool)
  /// An integer.
  case integer(Int64)
  /// An integer that may exceed `Int64`; the parser uses it only for those that do.
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
  /// Even the deallocation of a deeper value may need more than the 512 KiB of stack of background threads on Apple's
  /// platforms.
  public static let maximumDepth = 1_024

  /// The maximum depth of arrays and objects for a decoder or an encoder: 64.
  ///
  /// Foundation's use up to 5 KiB of stack for each level in a debug build, so that 64 levels fit into 512 KiB.
  public static let maximumNestedDepth = 64
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Creates ``null``.
  public init(nilLiteral: ()) {
    self = .null
  }

  /// Creates a Boolean.
  public init(booleanLiteral value: Bool) {
    self = .bool(value)
  }

  /// Creates an integer.
  public init(integerLiteral value: Int64) {
    self = .integer(value)
  }

  /// Creates a number.
  public init(floatLiteral value: Double) {
    self = .number(value)
  }

  /// Creates a string.
  public init(stringLiteral value: String) {
    self = .string(value)
  }

  /// Creates an array.
  public init(arrayLiteral elements: JSON...) {
    self = .array(elements)
  }

  /// Creates an object; of values with the same name the last one is used.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(elements) { $1 })
  }
}

extension JSON: EmptyBodyDecodable {
  /// The value of an empty body: ``null``.
  public static var emptyBodyValue: JSON { .null }
}
