public import Foundation

/// A type that can be a parameter value: text, a number, a date, an enumeration and so on.
///
/// ```swift
/// let parameters: Parameters = ["q": text, "page": page, "on": date, "tags": tags, "max": optional]
/// ```
/// An enumeration with a raw value needs only the declaration of the conformance:
/// `enum Sort: String, ParameterConvertible`. Any `Encodable` value becomes parameters with
/// ``Parameters/init(_:)-(EncodableSendable)``.
public protocol ParameterConvertible {
  /// The value as a parameter.
  var parameterValue: ParameterValue { get }
}

extension ParameterValue: ParameterConvertible {
  /// The value, unchanged.
  public var parameterValue: ParameterValue { self }
}

extension ParameterConvertible where Self: RawRepresentable, RawValue: ParameterConvertible {
  /// The raw value as a parameter.
  public var parameterValue: ParameterValue { rawValue.parameterValue }
}

extension ParameterConvertible where Self: StringProtocol {
  /// The text as a parameter.
  public var parameterValue: ParameterValue { .string(String(self)) }
}

extension ParameterConvertible where Self: FixedWidthInteger {
  /// The integer as a parameter.
  public var parameterValue: ParameterValue { .whole(self) }
}

extension String: ParameterConvertible, PathComponentConvertible {}
extension Substring: ParameterConvertible, PathComponentConvertible {}
extension Int: ParameterConvertible, PathComponentConvertible {}
extension Int8: ParameterConvertible, PathComponentConvertible {}
extension Int16: ParameterConvertible, PathComponentConvertible {}
extension Int32: ParameterConvertible, PathComponentConvertible {}
extension Int64: ParameterConvertible, PathComponentConvertible {}
extension UInt: ParameterConvertible, PathComponentConvertible {}
extension UInt8: ParameterConvertible, PathComponentConvertible {}
extension UInt16: ParameterConvertible, PathComponentConvertible {}
extension UInt32: ParameterConvertible, PathComponentConvertible {}
extension UInt64: ParameterConvertible, PathComponentConvertible {}

extension Bool: ParameterConvertible {
  /// The Boolean value as a parameter.
  public var parameterValue: ParameterValue { .bool(self) }
}

extension Double: ParameterConvertible {
  /// The number as a parameter.
  public var parameterValue: ParameterValue { .number(self) }
}

extension Float: ParameterConvertible {
  /// The `Double` with the same shortest decimal representation: 0.1, not 0.10000000149011612.
  public var parameterValue: ParameterValue { .number(decimalDouble) }
}

extension Decimal: ParameterConvertible {
  /// The decimal number with all of its digits.
  public var parameterValue: ParameterValue { .decimal(self) }
}

extension Date: ParameterConvertible {
  /// The date as a parameter.
  public var parameterValue: ParameterValue { .date(self) }
}

extension Data: ParameterConvertible {
  /// The bytes as a parameter.
  public var parameterValue: ParameterValue { .data(self) }
}

extension URL: ParameterConvertible {
  /// The absolute URL as text.
  public var parameterValue: ParameterValue { .string(absoluteString) }
}

extension UUID: ParameterConvertible {
  /// The UUID as text.
  public var parameterValue: ParameterValue { .string(uuidString) }
}

extension Optional: ParameterConvertible where Wrapped: ParameterConvertible {
  /// The wrapped value; ``ParameterValue/null`` for `nil`.
  public var parameterValue: ParameterValue { map(\.parameterValue) ?? .null }
}

extension Array: ParameterConvertible where Element: ParameterConvertible {
  /// The elements as parameters, in order.
  public var parameterValue: ParameterValue { .array(map(\.parameterValue)) }
}

extension Dictionary: ParameterConvertible where Key == String, Value: ParameterConvertible {
  /// The named values, sorted by the UTF-8 bytes of their names.
  public var parameterValue: ParameterValue {
    let object = ParameterObject(map { ($0.key, $0.value.parameterValue) })
    return .object(ParameterObject(object.sortedByName.map { ($0.name, $0.value) }))
  }
}

extension ParameterObject: ParameterConvertible {
  /// The object as a parameter.
  public var parameterValue: ParameterValue { .object(self) }
}
