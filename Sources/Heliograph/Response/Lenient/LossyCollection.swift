/// A collection that ``Lossy`` can decode: an array, a set, or a dictionary with string keys.
public protocol _LossyCollection {
  /// Creates an empty collection.
  init()

  /// Decodes the elements and drops those that cannot be decoded.
  ///
  /// - Parameter decoder: The decoder of the collection.
  /// - Returns: The elements, in their order.
  /// - Throws: The decoder's error if there is no collection at all.
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
    // Not through a keyed container: decoders do not change the names of a dictionary, whatever their strategy.
    try decoder.singleValueContainer().decode([String: Attempt<Value>].self).compactMapValues(\.value)
  }
}

private func eachElement<Element: Decodable>(
  _ type: Element.Type, of decoder: any Decoder, _ body: (Element) -> Void
) throws {
  var container = try decoder.unkeyedContainer()
  var step = LenientStep(decoder)
  while !container.isAtEnd {
    let place = container.currentIndex
    do {
      body(try container.decode(type))
    } catch {
      step.note(error, decoding: type, at: container.codingPath + [PartKey(intValue: place)], .dropped)
      // A decoder does not advance past an element that it could not decode.
      if container.currentIndex == place { _ = try container.decode(Skipped.self) }
    }
    step = step.again
  }
}

/// A type that decodes from any element, to skip it.
private struct Skipped: Decodable {
  init(from decoder: any Decoder) {}
}

/// A value, or `nil` if it cannot be decoded.
private struct Attempt<Value: Decodable>: Decodable {
  let value: Value?

  init(from decoder: any Decoder) {
    let step = LenientStep(decoder)
    do {
      // Through the container, which applies the decoder's strategies for dates and data.
      value = try decoder.singleValueContainer().decode(Value.self)
    } catch {
      step.note(error, decoding: Value.self, at: decoder.codingPath, .dropped)
      value = nil
    }
  }
}
