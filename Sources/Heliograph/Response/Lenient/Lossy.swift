/// A collection property of a decodable type that drops the elements that cannot be decoded.
///
/// ```swift
/// struct Catalogue: Decodable {
///   @Lossy var items: [Item]
///   @Lossy var prices: [String: Double]
/// }
/// ```
/// Arrays, sets, and dictionaries with string keys are supported. Decoding never fails: a collection that is missing,
/// null or of another kind becomes empty. Dropped elements and emptied collections are listed in a ``DecodeReport``; the
/// elements of a stream, events and the bodies of errors have no report.
///
/// Only the decoded elements are encoded, so a `PUT` of the decoded value removes the others from the server.
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

/// A collection that ``Lossy`` can decode: an array, a set, or a dictionary with string keys.
public protocol _LossyCollection {
  /// Creates an empty collection.
  init()

  /// Decodes the elements and drops those that cannot be decoded.
  ///
  /// - Parameter decoder: The decoder of the collection.
  /// - Returns: The elements, in their order.
  /// - Throws: The decoder's error if the value is not a collection.
  static func decodingLossily(from decoder: any Decoder) throws -> Self
}

extension Array: _LossyCollection where Element: Decodable {
  /// Decodes the elements in their order and drops those that cannot be decoded.
  public static func decodingLossily(from decoder: any Decoder) throws -> [Element] {
    var elements: [Element] = []
    try eachElement(Element.self, of: decoder) { elements.append($0) }
    return elements
  }
}

extension Set: _LossyCollection where Element: Decodable {
  /// Decodes the elements and drops those that cannot be decoded.
  public static func decodingLossily(from decoder: any Decoder) throws -> Set<Element> {
    var elements: Set<Element> = []
    try eachElement(Element.self, of: decoder) { elements.insert($0) }
    return elements
  }
}

extension Dictionary: _LossyCollection where Key == String, Value: Decodable {
  /// Decodes the values and drops those that cannot be decoded.
  public static func decodingLossily(from decoder: any Decoder) throws -> [String: Value] {
    // Not with a keyed container, whose key strategy would change the names of a dictionary.
    try decoder.singleValueContainer().decode([String: OptionalValue<Value>].self).compactMapValues(\.value)
  }
}

private func eachElement<Element: Decodable>(
  _ type: Element.Type, of decoder: any Decoder, _ body: (Element) -> Void
) throws {
  var container = try decoder.unkeyedContainer()
  var step = LenientStep(decoder)
  while !container.isAtEnd {
    let index = container.currentIndex
    do {
      body(try container.decode(type))
    } catch {
      step.report(error, decoding: type, at: container.codingPath + [PathKey(intValue: index)], .dropped)
      // A decoder does not advance past an element that it could not decode.
      if container.currentIndex == index { _ = try container.decode(NoContent.self) }
    }
    step = step.restarted
  }
}

/// A value, or `nil` if it cannot be decoded.
private struct OptionalValue<Value: Decodable>: Decodable {
  let value: Value?

  init(from decoder: any Decoder) {
    let step = LenientStep(decoder)
    do {
      // With a container, because only containers apply the decoder's strategies for dates and data.
      value = try decoder.singleValueContainer().decode(Value.self)
    } catch {
      step.report(error, decoding: Value.self, at: decoder.codingPath, .dropped)
      value = nil
    }
  }
}
