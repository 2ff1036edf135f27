/// Where ``Defaulted`` takes a default from.
///
/// A type can be its own source: an enum, for the cases that it does not know.
public protocol DefaultValue {
  /// The type of the default.
  associatedtype Value: Decodable

  /// The default.
  static var defaultValue: Value { get }
}

/// An empty text or collection as a default.
public enum EmptyValue<Value: Decodable & EmptyMakeable>: DefaultValue {
  /// An empty one.
  public static var defaultValue: Value { Value() }
}

/// Zero as a default.
public enum ZeroValue<Value: Decodable & AdditiveArithmetic>: DefaultValue {
  /// Zero.
  public static var defaultValue: Value { .zero }
}

/// No as a default.
public enum FalseValue: DefaultValue {
  /// No.
  public static var defaultValue: Bool { false }
}

/// Yes as a default.
public enum TrueValue: DefaultValue {
  /// Yes.
  public static var defaultValue: Bool { true }
}

/// What can be empty: a text or a collection.
public protocol EmptyMakeable {
  /// Makes an empty one.
  init()
}

extension String: EmptyMakeable {}
extension Array: EmptyMakeable {}
extension Set: EmptyMakeable {}
extension Dictionary: EmptyMakeable {}
