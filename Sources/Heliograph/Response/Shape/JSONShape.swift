public import Foundation

/// A shape that a JSON value must have, declared by literals.
///
/// ```swift
/// let shape: JSONShape = ["id": .number, "tags": [.string], "owner": ["name": .string]]
/// ```
/// | shape | accepts |
/// |---|---|
/// | `.any` | everything |
/// | `.bool`, `.number`, `.string` | values of that kind |
/// | `["id": .number]` | objects with these names, each with a value of its shape; other names are allowed |
/// | `[.string]` | arrays in which every element has the shape |
/// | `[.string, .number]` | arrays in which every element has one of the shapes |
/// | `[]`, `[:]` | all arrays, all objects |
///
/// Null is accepted everywhere; a missing name is not, except in a ``JSONShaped`` type with
/// ``JSONCoding/removesNulls``.
public enum JSONShape: Sendable, Hashable {
  /// Any value.
  case any
  /// A Boolean value.
  case bool
  /// A number.
  case number
  /// A string.
  case string
  /// An array in which every element has one of the shapes; without shapes, any array.
  case array([JSONShape])
  /// An object with at least these names, each with a value of its shape.
  case object([String: JSONShape])

  /// A value that does not have the expected shape.
  package struct Mismatch: Sendable {
    /// The path of the value, the innermost key first: it is built from the inside out, so that matching values need none.
    private(set) var keys: [any CodingKey] = []
    /// The expected kind of JSON value, or several.
    package let expected: String
    /// The kind of JSON value found; `nothing` for a missing name.
    package let found: String

    fileprivate func inside(_ key: PathKey) -> Mismatch {
      var mismatch = self
      mismatch.keys.append(key)
      return mismatch
    }
  }

  /// Returns the first mismatch, by lowest array index and alphabetically first name.
  ///
  /// If null has been removed from the value, a missing name counts as null.
  package func mismatch(in value: JSON, lacksNulls: Bool = false) -> Mismatch? {
    // Recursion is as deep as the shape, never as the value.
    switch (self, value) {
    case (.any, _), (_, .null), (.bool, .bool), (.string, .string): return nil
    case (.number, .integer), (.number, .unsigned), (.number, .number): return nil
    case (.array(let shapes), .array(let elements)):
      if shapes.isEmpty { return nil }
      for (index, element) in elements.enumerated() {
        guard let mismatch = Self.mismatch(of: shapes, in: element, lacksNulls: lacksNulls) else { continue }
        return mismatch.inside(PathKey(intValue: index))
      }
      return nil
    case (.object(let shapes), .object(let members)):
      var first: (name: String, mismatch: Mismatch)?
      for (name, shape) in shapes {
        if let first, first.name < name { continue }
        guard let mismatch = shape.mismatch(inMember: members[name], lacksNulls: lacksNulls) else { continue }
        first = (name, mismatch)
      }
      return first.map { $0.mismatch.inside(PathKey(stringValue: $0.name)) }
    default: return Mismatch(expected: kind, found: value.kind)
    }
  }

  private func mismatch(inMember value: JSON?, lacksNulls: Bool) -> Mismatch? {
    if let value { return mismatch(in: value, lacksNulls: lacksNulls) }
    return lacksNulls ? nil : Mismatch(expected: kind, found: "nothing")
  }

  private static func mismatch(of shapes: [JSONShape], in value: JSON, lacksNulls: Bool) -> Mismatch? {
    if shapes.count == 1 { return shapes[0].mismatch(in: value, lacksNulls: lacksNulls) }
    if shapes.contains(where: { $0.mismatch(in: value, lacksNulls: lacksNulls) == nil }) { return nil }
    // The mismatch of a shape of the same kind is the most helpful.
    if let sameKind = shapes.first(where: { $0.kind == value.kind }) {
      return sameKind.mismatch(in: value, lacksNulls: lacksNulls)
    }
    return Mismatch(expected: shapes.map(\.kind).joined(separator: " or "), found: value.kind)
  }

  private var kind: String {
    switch self {
    case .any: "any value"
    case .bool: "bool"
    case .number: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }
}

extension JSONShape: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Creates the shape of an array.
  public init(arrayLiteral elements: JSONShape...) { self = .array(elements) }

  /// Creates the shape of an object; of shapes with the same name the last one is used.
  public init(dictionaryLiteral elements: (String, JSONShape)...) {
    self = .object(Dictionary(elements) { $1 })
  }
}

extension JSONShape.Mismatch: CustomStringConvertible {
  /// The path, such as `items[3].price`; `the root` for the whole value.
  package var path: String { Array(keys.reversed()).pathText }

  /// The mismatch on one line, such as `items[3].price is string, not number` or `owner.name is missing`.
  package var description: String { description(at: path) }

  /// Returns the mismatch on one line, with another path.
  func description(at path: String) -> String {
    found == "nothing" ? "\(path) is missing" : "\(path) is \(found), not \(expected)"
  }
}

extension JSONShape: Validator {
  /// Throws a `processing` error if the body does not have the shape.
  ///
  /// The body is parsed once in addition to decoding. An empty body is left to the decoder.
  ///
  /// For a different shape the code is ``NetworkError/Code/invalidShape``, and the reason contains the path; for a body
  /// that is not JSON the code is ``NetworkError/Code/malformedBody``.
  public func validate(_ response: Response<Data>) throws(NetworkError) {
    if response.value.isEmpty { return }
    let value: JSON
    do throws(NetworkError) {
      value = try JSON(data: response.value)
    } catch {
      var error = error
      error.response = response
      throw error
    }
    guard let mismatch = mismatch(in: value) else { return }
    throw NetworkError(.invalidShape, reason: mismatch.description, response: response)
  }
}
