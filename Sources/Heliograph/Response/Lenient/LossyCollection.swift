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
      if container.currentIndex == index { _ = try container.decode(Skipped.self) }
    }
    step = step.restarted
  }
}

/// A type that decodes from any element, to skip it.
private struct Skipped: Decodable {
  init(from decoder: any Decoder) {}
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
