import Foundation

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
/// `processing` error with the code ``NetworkError/Code/invalidShape`` and the path in its reason, a whole value of
/// another kind, such as an array, with ``NetworkError/Code/unexpectedShape``. The body is parsed twice. With ``JSONCoding/removesNulls`` a missing name is accepted, because it counts as null.
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
      try shape.check(
        try decoder.json(), for: Value.self, at: decoder.codingPath, lacksNulls: decoder.context?.lacksNulls == true)
    }
    value = try Value(from: decoder)
  }
}

extension JSONShape {
  /// Throws if a value has another shape: a type mismatch if its kind differs, such as an array; if null has been
  /// removed from the value, a missing name counts as null.
  func check(
    _ value: JSON, for type: Any.Type, at path: @autoclosure () -> [any CodingKey], lacksNulls: Bool
  ) throws {
    guard let mismatch = mismatch(in: value, lacksNulls: lacksNulls) else { return }
    let path = path()
    guard !mismatch.keys.isEmpty else {
      // In the words of Foundation's decoder.
      let text = "expected \(mismatch.expected) but found \(mismatch.found)"
      throw DecodingError.typeMismatch(type, .init(codingPath: path, debugDescription: text))
    }
    let base = path.isEmpty ? "" : path.loggedPathText
    let inner = mismatch.path
    let separator = base.isEmpty || inner.hasPrefix("[") ? "" : "."
    throw NetworkError(.invalidShape, reason: mismatch.description(at: base + separator + inner))
  }
}

/// A JSON body that is parsed once, when a shape is first compared with it; decoding each value as `JSON` would take
/// nine times as long as ``JSON/init(data:)``.
struct ParsedBody: Sendable {
  private let body: Data
  private lazy var root = try? JSON.parse(body)
  /// Whether its paths consist of names converted from snake case.
  let convertsKeys: Bool

  init(_ body: Data, convertsKeys: Bool) {
    self.body = body
    self.convertsKeys = convertsKeys
  }

  /// Returns the value at a decoder's path; `nil` if there is none, or the name is ambiguous.
  mutating func value(at path: [any CodingKey]) -> JSON? {
    guard var value = root else { return nil }
    for key in path {
      switch value {
      case .array(let elements):
        guard let index = key.intValue, elements.indices.contains(index) else { return nil }
        value = elements[index]
      case .object(let members):
        guard let found = member(key.stringValue, of: members) else { return nil }
        value = found
      default: return nil
      }
    }
    return value
  }

  private func member(_ name: String, of members: [String: JSON]) -> JSON? {
    guard convertsKeys else { return members[name] }
    let matches = members.filter { $0.key.camelCased == name }
    return matches.count == 1 ? matches.first?.value : nil
  }
}

extension Decoder {
  /// Returns the decoder's value as JSON, from the parsed body if the path exists there.
  func json() throws -> JSON { try parsed ?? singleValueContainer().decode(JSON.self) }

  /// The elements of this decoder's array, from the parsed body.
  var parsedElements: [JSON]? {
    if case .array(let elements)? = parsed { elements } else { nil }
  }

  private var parsed: JSON? { context?.value(at: codingPath) }
}
