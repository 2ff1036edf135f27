/// A collection property of a decodable type that drops the elements that cannot be decoded.
///
/// ```swift
/// struct Catalogue: Decodable {
///   @Lossy var items: [Item]
///   @Lossy var prices: [String: Double]
/// }
/// ```
/// Arrays, sets, and dictionaries with string keys are supported. Decoding never fails: a collection that is missing,
/// null or of another kind becomes empty. Dropped elements and emptied collections are listed in a ``DecodeReport``.
@propertyWrapper
public struct Lossy<Value: _LossyCollection>: Decodable {
  /// The decoded elements.
  public var wrappedValue: Value

  /// Creates a property with a collection.
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

  /// Decodes the elements one by one.
  public init(from decoder: any Decoder) {
    let step = LenientStep(decoder)
    do {
      wrappedValue = try Value.decodingLossily(from: decoder)
    } catch {
      step.report(error, decoding: Value.self, at: decoder.codingPath, .defaulted)
      wrappedValue = Value()
    }
  }
}

extension Lossy: Encodable where Value: Encodable {
  /// Encodes the collection without the wrapper.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension Lossy: Sendable where Value: Sendable {}
extension Lossy: Equatable where Value: Equatable {}
extension Lossy: Hashable where Value: Hashable {}

extension KeyedDecodingContainer {
  /// Decodes a lossy collection, or returns an empty one if the key is missing.
  ///
  /// The synthesized `init(from:)` calls this instead of the general method.
  public func decode<Value>(_ type: Lossy<Value>.Type, forKey key: Key) throws -> Lossy<Value> {
    if let lossy = try decodeIfPresent(type, forKey: key) { return lossy }
    reportAbsence(of: Value.self, forKey: key)
    return Lossy(wrappedValue: Value())
  }

  /// Reports that the value for a key is missing or null.
  func reportAbsence(of type: Any.Type, forKey key: Key) {
    // Only a decoder has the user info; the decoder for a key exists even if the key is missing.
    guard let decoder = try? superDecoder(forKey: key) else { return }
    LenientStep(decoder).reportAbsence(of: type, at: codingPath + [key], isNull: contains(key))
  }
}
