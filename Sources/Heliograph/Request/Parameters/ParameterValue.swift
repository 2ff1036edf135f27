public import Foundation

/// The value of a parameter: a scalar such as text or a number, an array or an object.
///
/// It can be written as a literal: `"lamp"`, `2`, `0.5`, `true`, `nil`, `["a", "b"]`, `["min": 1]`. ``ParameterRules``
/// define how it is serialized. Equality follows that of `String` and `Double`: strings with canonically equivalent
/// Unicode are equal, and NaN is not equal to itself.
public enum ParameterValue: Sendable, Hashable {
  /// No value: `null` in JSON; see ``ParameterRules/nulls`` for pairs.
  case null
  /// A Boolean value.
  case bool(Bool)
  /// An integer in the range of `Int64`.
  case integer(Int64)
  /// An unsigned integer, which may exceed `Int64.max`.
  case unsigned(UInt64)
  /// A floating-point number; NaN and infinities cannot be serialized.
  case number(Double)
  /// A decimal number with all of its digits, such as a price.
  case decimal(Decimal)
  /// A string.
  case string(String)
  /// A date, formatted by ``ParameterRules/dates``.
  case date(Date)
  /// Bytes, written as base64.
  case data(Data)
  /// An ordered list of values.
  case array([ParameterValue])
  /// An ordered collection of named values.
  case object(ParameterObject)

  /// Creates the parameter value of a convertible value.
  public init(_ value: some ParameterConvertible) { self = value.parameterValue }
}

extension ParameterValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Creates ``null``.
  public init(nilLiteral: ()) { self = .null }

  /// Creates a Boolean value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Creates an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// Creates a floating-point number.
  public init(floatLiteral value: Double) { self = .number(value) }

  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Creates an array.
  public init(arrayLiteral elements: ParameterValue...) { self = .array(elements) }

  /// Creates an object; for a repeated name the last value is used, at the position of the first.
  public init(dictionaryLiteral elements: (String, ParameterValue)...) {
    self = .object(ParameterObject(elements))
  }
}
