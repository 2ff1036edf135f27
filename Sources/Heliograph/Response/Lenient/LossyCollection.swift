/// A collection that ``Lossy`` can decode: an array, a set, or a dictionary with strings for keys.
public protocol LossyCollection {
  /// Makes an empty collection.
  init()

  /// Decodes the elements that can be decoded.
  ///
  /// - Parameter decoder: has the collection.
  /// - Returns: the elements, in their order.
  /// - Throws: what the decoder throws if it has no collection at all.
  static func decodingLossily(from decoder: any Decoder) throws -> Self
}

extension Array: LossyCollection where Element: Decodable {
  /// Decodes the elements that can be decoded, in their order.
  public static func decodingLossily(from decoder: any Decoder) throws -> [Element] {
    var elements: [Element] = []
    try eachElement(Element.self, of: decoder) { elements.append($0) }
    return elements
  }
}

extension Set: LossyCollection where Element: Decodable {
  /// Decodes the elements that can be decoded.
  public static func decodingLossily(from decoder: any Decoder) throws -> Set<Element> {
    var elements: Set<Element> = []
    try eachElement(Element.self, of: decoder) { elements.insert($0) }
    return elements
  }
}

extension Dictionary: LossyCollection where Key == String, Value: Decodable {
  /// Decodes the values that can be decoded.
  public static func decodingLossily(from decoder: any Decoder) throws -> [String: Value] {
    // Not by a keyed container: for a dictionary decoders leave the names as they are, whatever their strategy.
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
      // A decoder stays at the element that it could not decode.
      if container.currentIndex == place { _ = try container.decode(Skipped.self) }
    }
    step = step.again
  }
}

/// Takes the place of an element, whatever it is.
private struct Skipped: Decodable {
  init(from decoder: any Decoder) {}
}

/// A value that may not be decodable.
private struct Attempt<Value: Decodable>: Decodable {
  let value: Value?

  init(from decoder: any Decoder) {
    let step = LenientStep(decoder)
    do {
      // By the container, which knows the decoder's strategies for dates and data.
      value = try decoder.singleValueContainer().decode(Value.self)
    } catch {
      step.note(error, decoding: Value.self, at: decoder.codingPath, .dropped)
      value = nil
    }
  }
}
