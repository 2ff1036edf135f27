/// A value of a decodable type that has a default: if it is missing, null or wrong, the default takes its place.
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
/// }
/// ```
/// It never fails. Each default that is taken is listed in a ``DecodeReport``.
@propertyWrapper
public struct Defaulted<Source: DefaultValue>: Decodable {
  /// What was decoded, or the default.
  public var wrappedValue: Source.Value

  /// Makes a value that needs no decoding.
  public init(wrappedValue: Source.Value) {
    self.wrappedValue = wrappedValue
  }

  /// Decodes the value, or takes the default.
  public init(from decoder: any Decoder) {
    let step = LenientStep(decoder)
    do {
      // By the container, which knows the decoder's strategies for dates and data.
      wrappedValue = try decoder.singleValueContainer().decode(Source.Value.self)
    } catch {
      step.note(error, decoding: Source.Value.self, at: decoder.codingPath, .defaulted)
      wrappedValue = Source.defaultValue
    }
  }
}

extension Defaulted: Encodable where Source.Value: Encodable {
  /// Encodes the value as if it stood there alone.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension Defaulted: Sendable where Source.Value: Sendable {}
extension Defaulted: Equatable where Source.Value: Equatable {}
extension Defaulted: Hashable where Source.Value: Hashable {}

extension KeyedDecodingContainer {
  /// Decodes a value that may be missing: it is the default then.
  ///
  /// The compiler's own `init(from:)` uses this in the place of the general method.
  public func decode<Source>(_ type: Defaulted<Source>.Type, forKey key: Key) throws -> Defaulted<Source> {
    if let value = try decodeIfPresent(type, forKey: key) { return value }
    noteAbsence(of: Source.Value.self, forKey: key)
    return Defaulted(wrappedValue: Source.defaultValue)
  }
}
