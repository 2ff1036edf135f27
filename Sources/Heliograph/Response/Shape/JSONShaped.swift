/// A result type that declares the shape of its JSON, which is compared before a value is decoded.
///
/// ```swift
/// struct Lamp: Decodable, JSONShaped {
///   static let jsonShape: JSONShape = ["id": .number, "name": .string]
///   let id: Int
///   let name: String?
/// }
/// ```
/// The shape is that of the payload, and of each element where the payload is an array of them; what is around the payload
/// is the envelope's. JSON of another shape is a `processing` error, ``NetworkError/Code/invalidShape``, whose reason names the
/// place. Each value is read twice. Requirement S2-15.
public protocol JSONShaped {
  /// The shape of one value.
  static var jsonShape: JSONShape { get }
}

/// A value of a type that declares its shape.
struct Shaped<Value: Decodable>: Decodable {
  let value: Value

  init(from decoder: any Decoder) throws {
    if let shape = (Value.self as? any JSONShaped.Type)?.jsonShape { try shape.check(decoder, for: Value.self) }
    value = try Value(from: decoder)
  }
}

extension JSONShape {
  /// Throws if what is at a decoder has another shape: a type mismatch if it is of another kind, such as an array.
  fileprivate func check(_ decoder: any Decoder, for type: Any.Type) throws {
    guard let mismatch = mismatch(in: try decoder.singleValueContainer().decode(JSON.self)) else { return }
    guard !mismatch.isAtRoot else {
      throw DecodingError.typeMismatch(
        type, .init(codingPath: decoder.codingPath, debugDescription: mismatch.description))
    }
    let base = decoder.codingPath.isEmpty ? "" : decoder.codingPath.pathText
    let separator = base.isEmpty || mismatch.path.hasPrefix("[") ? "" : "."
    let placed = Mismatch(path: base + separator + mismatch.path, expected: mismatch.expected, found: mismatch.found)
    throw NetworkError(.processing, .invalidShape, reason: placed.description)
  }
}

extension JSONShape.Mismatch {
  fileprivate var isAtRoot: Bool { path == [any CodingKey]().pathText }
}
