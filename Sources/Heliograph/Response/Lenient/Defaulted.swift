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
/// Decoding never fails. Each default that is used is listed in a ``DecodeReport``.
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
  /// The synthesized `init(from:)` calls this instead of the general method.
  public func decode<Source>(_ type: Defaulted<Source>.Type, forKey key: Key) throws -> Defaulted<Source> {
    if let value = try decodeIfPresent(type, forKey: key) { return value }
    reportAbsence(of: Source.Value.self, forKey: key)
    return Defaulted(wrappedValue: Source.defaultValue)
  }
}
