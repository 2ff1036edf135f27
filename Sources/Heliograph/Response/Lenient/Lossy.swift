/// A collection of a decodable type that does without the elements that cannot be decoded.
///
/// ```swift
/// struct Catalogue: Decodable {
///   @Lossy var items: [Item]
///   @Lossy var prices: [String: Double]
/// }
/// ```
/// For arrays, sets, and dictionaries with strings for keys. It never fails: if the whole collection is missing, null or
/// of another kind, it is empty. What is dropped or emptied is listed in a ``DecodeReport``.
@propertyWrapper
public struct Lossy<Value: LossyCollection>: Decodable {
  /// The elements that could be decoded.
  public var wrappedValue: Value

  /// Makes a collection of elements that need no decoding.
  public init(wrappedValue: Value) {
    self.wrappedValue = wrappedValue
  }

  /// Decodes the elements one by one.
  public init(from decoder: any Decoder) {
    let step = LenientStep(decoder)
    do {
      wrappedValue = try Value.decodingLossily(from: decoder)
    } catch {
      step.note(error, decoding: Value.self, at: decoder.codingPath, .defaulted)
      wrappedValue = Value()
    }
  }
}

extension Lossy: Encodable where Value: Encodable {
  /// Encodes the collection as if it stood there alone.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension Lossy: Sendable where Value: Sendable {}
extension Lossy: Equatable where Value: Equatable {}
extension Lossy: Hashable where Value: Hashable {}

extension KeyedDecodingContainer {
  /// Decodes a lossy collection that may be missing: it is empty then.
  ///
  /// The compiler's own `init(from:)` uses this in the place of the general method.
  public func decode<Value>(_ type: Lossy<Value>.Type, forKey key: Key) throws -> Lossy<Value> {
    if let lossy = try decodeIfPresent(type, forKey: key) { return lossy }
    noteAbsence(of: Value.self, forKey: key)
    return Lossy(wrappedValue: Value())
  }

  /// Notes for the report that there is nothing for a key, or null.
  func noteAbsence(of type: Any.Type, forKey key: Key) {
    // The container has no user info; a decoder for the key, which there is for a missing one too, has it.
    guard let decoder = try? superDecoder(forKey: key) else { return }
    LenientStep(decoder).noteAbsence(of: type, at: codingPath + [key], isNull: contains(key))
  }
}
