/// Any JSON value, for answers whose shape no type describes.
///
/// ```swift
/// let price = json["data"]["items"][0]["price"].double
/// ```
/// Looking into it never traps: what is not there is ``null``. Literals make it: `["id": 1, "tags": ["a", nil]]`.
///
/// Values are equal if they mean the same: `1`, `1.0` and an ``unsigned(_:)`` 1 are equal, and the order of names makes
/// no difference. Strings are compared as strings are; NaN, which no JSON text can hold, is not equal to itself.
///
/// `JSON(data:)` and ``description`` are made for texts as deep as ``maximumDepth``; a JSON inside another decodable
/// or encodable type may be ``maximumNestedDepth`` levels deep, as decoders and encoders call themselves.
public enum JSON: Sendable {
  /// Nothing.
  case null
  /// Yes or no.
  case bool(Bool)
  /// A whole number.
  case integer(Int64)
  /// A whole number that may be too large for an `Int64`.
  case unsigned(UInt64)
  /// Any other number: the nearest `Double`.
  case number(Double)
  /// Text.
  case string(String)
  /// Values in order.
  case array([JSON])
  /// Named values.
  case object([String: JSON])

  /// How many arrays and objects may be inside each other in a JSON text, the outermost counted: 1,024.
  ///
  /// Even destroying a deeper value may need more than the 512 KiB of stack of Apple's background threads.
  public static let maximumDepth = 1_024

  /// How many arrays and objects may be inside each other where a decoder or an encoder does the work: 64.
  ///
  /// Foundation's take up to 5 KiB of stack for each level in a debug build: 64 levels fit into those 512 KiB.
  public static let maximumNestedDepth = 64
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Makes the value that `nil` stands for, ``null``.
  public init(nilLiteral: ()) {
    self = .null
  }

  /// Makes a truth value.
  public init(booleanLiteral value: Bool) {
    self = .bool(value)
  }

  /// Makes a whole number.
  public init(integerLiteral value: Int64) {
    self = .integer(value)
  }

  /// Makes a number.
  public init(floatLiteral value: Double) {
    self = .number(value)
  }

  /// Makes a text.
  public init(stringLiteral value: String) {
    self = .string(value)
  }

  /// Makes an array.
  public init(arrayLiteral elements: JSON...) {
    self = .array(elements)
  }

  /// Makes an object; of values with the same name the last one stays.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(elements) { $1 })
  }
}

extension JSON: EmptyBodyDecodable {
  /// ``null``.
  public static var emptyBody: JSON { .null }
}
