public import Foundation

/// The value of a parameter: text, a number, and so on, or more of them inside an array or an object.
///
/// Literals make it: `"lamp"`, `2`, `0.5`, `true`, `nil`, `["a", "b"]`, `["min": 1]`. ``ParameterRules`` say how it is
/// written. As with strings and numbers themselves, texts that differ only in how an accent is composed are equal, and
/// NaN is not equal to itself.
public enum ParameterValue: Sendable, Hashable {
  /// Nothing.
  case null
  /// Yes or no.
  case bool(Bool)
  /// A whole number.
  case integer(Int64)
  /// A whole number that may be too large for an `Int64`.
  case unsigned(UInt64)
  /// A number; NaN and the infinities cannot be written.
  case number(Double)
  /// A number whose decimal digits are all kept, such as a price.
  case decimal(Decimal)
  /// Text.
  case string(String)
  /// A time.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// Values in order.
  case array([ParameterValue])
  /// Named values in order.
  case object(ParameterObject)

  /// Creates the value of anything that can be a parameter.
  public init(_ value: some ParameterConvertible) {
    self = value.parameterValue
  }
}

extension ParameterValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
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
  public init(arrayLiteral elements: ParameterValue...) {
    self = .array(elements)
  }

  /// Makes an object; of values with the same name the last one stays, in the place of the first.
  public init(dictionaryLiteral elements: (String, ParameterValue)...) {
    self = .object(ParameterObject(elements))
  }
}
