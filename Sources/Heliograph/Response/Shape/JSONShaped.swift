/// A result type that declares the shape of its JSON, which is checked before a value is decoded.
///
/// ```swift
/// struct Lamp: Decodable, JSONShaped {
///   static let jsonShape: JSONShape = ["id": .number, "name": .string]
///   let id: Int
///   let name: String?
/// }
/// ```
/// The shape describes the payload, or each element if the payload is an array. Arrays and optionals of such a type
/// also declare a shape. The envelope around the payload is not checked. JSON of another shape fails with a
/// `processing` error with the code ``NetworkError/Code/invalidShape`` and the path in its reason. The body is parsed
/// twice.
public protocol JSONShaped {
  /// The shape of one value.
  static var jsonShape: JSONShape { get }
}

extension Array: JSONShaped where Element: JSONShaped {
  /// An array in which every element has the shape of the element type.
  public static var jsonShape: JSONShape { .array([Element.jsonShape]) }
}

extension Optional: JSONShaped where Wrapped: JSONShaped {
  /// The shape of the wrapped type, which also accepts null.
  public static var jsonShape: JSONShape { Wrapped.jsonShape }
}

/// A wrapper that checks the shape of a value, if its type declares one, before decoding it.
struct Shaped<Value: Decodable>: Decodable {
  let value: Value

  init(from decoder: any Decoder) throws {
    if let shape = (Value.self as? any JSONShaped.Type)?.jsonShape {
      try shape.check(try decoder.json(), for: Value.self, at: decoder.codingPath)
    }
    value = try Value(from: decoder)
  }
}

extension JSONShape {
  /// Throws if a value has another shape: a type mismatch if its kind differs, such as an array.
  func check(_ value: JSON, for type: Any.Type, at path: @autoclosure () -> [any CodingKey]) throws {
    guard let mismatch = mismatch(in: value) else { return }
    let path = path()
    guard !mismatch.isAtRoot else {
      throw DecodingError.typeMismatch(type, .init(codingPath: path, debugDescription: mismatch.description))
    }
    let base = path.isEmpty ? "" : path.loggedPathText
    let separator = base.isEmpty || mismatch.path.hasPrefix("[") ? "" : "."
    let located = Mismatch(path: base + separator + mismatch.path, expected: mismatch.expected, found: mismatch.found)
    throw NetworkError(.invalidShape, reason: located.description)
  }
}

extension JSONShape.Mismatch {
  fileprivate var isAtRoot: Bool { path == [any CodingKey]().pathText }
}
