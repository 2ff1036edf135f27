/// A source of a default for ``Defaulted``.
///
/// A type can be its own source, such as an enum with a case for unknown values.
public protocol DefaultValue {
  /// The type of the default.
  associatedtype Value: Decodable

  /// The default.
  static var defaultValue: Value { get }
}

/// An empty string or collection as a default.
public enum EmptyValue<Value: Decodable & EmptyMakeable>: DefaultValue {
  /// The empty string or collection.
  public static var defaultValue: Value { Value() }
}

/// Zero as a default.
public enum ZeroValue<Value: Decodable & AdditiveArithmetic>: DefaultValue {
  /// Zero.
  public static var defaultValue: Value { .zero }
}

/// `false` as a default.
public enum FalseValue: DefaultValue {
  /// `false`.
  public static var defaultValue: Bool { false }
}

/// `true` as a default.
public enum TrueValue: DefaultValue {
  /// `true`.
  public static var defaultValue: Bool { true }
}

/// A type that can be empty: a string or a collection.
public protocol EmptyMakeable {
  /// Creates an empty value.
  init()
}

extension String: EmptyMakeable {}
extension Array: EmptyMakeable {}
extension Set: EmptyMakeable {}
extension Dictionary: EmptyMakeable {}
