/// A property of a decodable type, with a default that replaces a missing, null or invalid value.
///
/// ```swift
/// struct Item: Decodable {
///   enum Kind: String, Decodable, DefaultValue {
///     case lamp, chair, unknown
///     static let defaultValue = Kind.unknown
///   }
///   @Defaulted<Kind> var kind: Kind
///   @Defaulted<EmptyValue> var tags: [String]
///   @Defaulted<ZeroValue> var stock: Int
///   @Defaulted<FalseValue> var isNew: Bool
///   @Defaulted<NilValue> var page: URL?
///   @Defaulted<NumberOrNil> var views: Int?  // 126 or "126"
/// }
/// ```
/// Decoding never fails. Each default that is used is listed in a ``DecodeReport``, except `nil` for a value that is
/// missing or null; the elements of a stream, events and the bodies of errors have no report.
///
/// A default is encoded like a received value, so a `PUT` of the decoded value replaces an invalid value on the server
/// with the default. `nil` is omitted, as for any optional property.
@propertyWrapper
public struct Defaulted<Source: DefaultValue>: Decodable {
  /// The decoded value, or the default.
  public var wrappedValue: Source.Value

  /// Creates a property with a value.
  public init(wrappedValue: Source.Value) { self.wrappedValue = wrappedValue }

  /// Decodes the value, or uses the default.
  public init(from decoder: any Decoder) {
    let step = LenientStep(decoder)
    do {
      wrappedValue = try Source.value(from: decoder)
    } catch {
      step.report(error, decoding: Source.Value.self, at: decoder.codingPath, .defaulted)
      wrappedValue = Source.defaultValue
    }
  }
}

extension Defaulted: Encodable where Source.Value: Encodable {
  /// Encodes the value without the wrapper.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension Defaulted: Sendable where Source.Value: Sendable {}
extension Defaulted: Equatable where Source.Value: Equatable {}
extension Defaulted: Hashable where Source.Value: Hashable {}

extension KeyedDecodingContainer {
  /// Decodes a value, or returns the default if the key is missing.
  ///
  /// A default that is `nil` is what a missing or null value means, and is not reported.
  ///
  /// The synthesized `init(from:)` calls this instead of the general method.
  public func decode<Source>(_ type: Defaulted<Source>.Type, forKey key: Key) throws -> Defaulted<Source> {
    if let value = try decodeIfPresent(type, forKey: key) { return value }
    let value = Source.defaultValue
    if case Optional<Any>.none = value as Any {} else { reportAbsence(of: Source.Value.self, forKey: key) }
    return Defaulted(wrappedValue: value)
  }
}

extension KeyedEncodingContainer {
  /// Encodes a value, or nothing if it is `nil`.
  ///
  /// The synthesized `encode(to:)` calls this instead of the general method.
  public mutating func encode<Source>(_ value: Defaulted<Source>, forKey key: Key) throws
  where Source.Value: Encodable {
    // As for an optional property: to a server, a null may mean that the field is to be cleared.
    if case Optional<Any>.none = value.wrappedValue as Any { return }
    try encode(value.wrappedValue, forKey: key)
  }
}

/// A source of the default value for ``Defaulted``.
///
/// A type can be its own source, such as an enum with a case for unknown values.
public protocol DefaultValue {
  /// The type of the default.
  associatedtype Value: Decodable

  /// The value that replaces a missing, null or invalid one.
  static var defaultValue: Value { get }

  /// Decodes the value; if this throws, the default is used.
  ///
  /// The default implementation decodes the value without conversion.
  static func value(from decoder: any Decoder) throws -> Value
}

extension DefaultValue {
  /// Decodes the value without conversion.
  public static func value(from decoder: any Decoder) throws -> Value {
    // With a container, because only containers apply the decoder's strategies for dates and data.
    try decoder.singleValueContainer().decode(Value.self)
  }
}

/// `nil` as a default, for an optional property whose value may be malformed.
public enum NilValue<Wrapped: Decodable>: DefaultValue {
  /// The default: `nil`.
  public static var defaultValue: Wrapped? { nil }
}

/// A number that is also accepted as text, such as `"126"`, with zero as a default.
///
/// The text is a decimal number without spaces. A converted text is not listed in the ``DecodeReport``.
public enum NumberOrZero<Value: Decodable & AdditiveArithmetic & LosslessStringConvertible>: DefaultValue {
  /// The default: zero.
  public static var defaultValue: Value { .zero }
  /// Decodes a number or numeric text.
  public static func value(from decoder: any Decoder) throws -> Value { try decoder.number() }
}

/// A number that is also accepted as text, such as `"126"`, with `nil` as a default.
///
/// The text is a decimal number without spaces. A converted text is not listed in the ``DecodeReport``.
public enum NumberOrNil<Number: Decodable & AdditiveArithmetic & LosslessStringConvertible>: DefaultValue {
  /// The default: `nil`.
  public static var defaultValue: Number? { nil }
  /// Decodes a number or numeric text.
  public static func value(from decoder: any Decoder) throws -> Number? { try decoder.number() }
}

extension Decoder {
  /// Decodes a number or numeric text.
  fileprivate func number<Number: Decodable & LosslessStringConvertible>() throws -> Number {
    let container = try singleValueContainer()
    do {
      return try container.decode(Number.self)
    } catch {
      // Swift accepts texts such as "nan" and "0x1p3" as numbers, and reads "1e400" as infinity; JSON has none of them.
      guard let text = try? container.decode(String.self),
        text.utf8.allSatisfy({ $0.isDigit || "+-.eE".utf8.contains($0) }),
        let number = Number(text), (number as? any FloatingPoint)?.isFinite ?? true
      else { throw error }
      return number
    }
  }
}

/// An empty string or collection as a default.
public enum EmptyValue<Value: Decodable & _EmptyInitializable>: DefaultValue {
  /// The default: an empty string or collection.
  public static var defaultValue: Value { Value() }
}

/// Zero as a default.
public enum ZeroValue<Value: Decodable & AdditiveArithmetic>: DefaultValue {
  /// The default: zero.
  public static var defaultValue: Value { .zero }
}

/// `false` as a default.
public enum FalseValue: DefaultValue {
  /// The default: `false`.
  public static var defaultValue: Bool { false }
}

/// `true` as a default.
public enum TrueValue: DefaultValue {
  /// The default: `true`.
  public static var defaultValue: Bool { true }
}

/// A type that can be empty: a string or a collection.
public protocol _EmptyInitializable {
  /// Creates an empty string or collection.
  init()
}

extension String: _EmptyInitializable {}
extension Array: _EmptyInitializable {}
extension Set: _EmptyInitializable {}
extension Dictionary: _EmptyInitializable {}
