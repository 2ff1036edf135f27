public import Foundation

/// A value that can be interpolated into a ``RequestPath``: text, a number, a UUID, or a type of your own.
///
/// ```swift
/// extension OrderNumber: PathComponentConvertible {
///   public var pathComponent: String { "\(year)-\(count)" }
/// }
/// ```
/// If the raw value of a type conforms, the type itself need not.
public protocol PathComponentConvertible {
  /// The value as a path component, unescaped.
  var pathComponent: String { get }
}

extension PathComponentConvertible where Self: RawRepresentable, RawValue: PathComponentConvertible {
  /// The path component of the raw value.
  public var pathComponent: String { rawValue.pathComponent }
}

extension PathComponentConvertible where Self: StringProtocol {
  /// The text, without percent-encoding.
  public var pathComponent: String { String(self) }
}

extension PathComponentConvertible where Self: FixedWidthInteger {
  /// The decimal digits.
  public var pathComponent: String { String(self) }
}

extension Bool: PathComponentConvertible {
  /// `true` or `false`.
  public var pathComponent: String { description }
}

extension Double: PathComponentConvertible {
  /// The shortest decimal representation, without an exponent.
  public var pathComponent: String { isFinite ? plainText : description }
}

extension Float: PathComponentConvertible {
  /// The shortest decimal representation, without an exponent.
  public var pathComponent: String { isFinite ? decimalDouble.plainText : description }
}

extension Decimal: PathComponentConvertible {
  /// The decimal number with all of its digits.
  public var pathComponent: String { description }
}

extension UUID: PathComponentConvertible {
  /// The UUID as text.
  public var pathComponent: String { uuidString }
}
