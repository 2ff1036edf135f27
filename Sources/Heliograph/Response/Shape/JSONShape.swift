/// A shape that a JSON value is expected to have, declared by literals.
///
/// ```swift
/// let shape: JSONShape = ["id": .number, "tags": [.string], "owner": ["name": .string]]
/// ```
/// | shape | accepts |
/// |---|---|
/// | `.any` | everything |
/// | `.bool`, `.number`, `.string` | values of that kind |
/// | `["id": .number]` | objects with these names, each with a value of its shape; further names are fine |
/// | `[.string]` | arrays in which every element has the shape |
/// | `[.string, .number]` | arrays in which every element has one of the shapes |
/// | `[]`, `[:]` | all arrays, all objects |
///
/// Null is accepted everywhere; a name that is missing is not.
public enum JSONShape: Sendable, Hashable {
  /// Every value.
  case any
  /// A truth value.
  case bool
  /// A number.
  case number
  /// Text.
  case string
  /// Values that have one of the shapes each; without a shape, any values.
  case array([JSONShape])
  /// At least these names, each with a value of its shape.
  case object([String: JSONShape])

  /// Where a value has not the shape.
  public struct Mismatch: Sendable, Hashable {
    /// The place, such as `items[3].price`; `the root` for the whole value.
    public let path: String
    /// What is expected there: a kind of JSON value, or several.
    public let expected: String
    /// What is there: a kind of JSON value; `nothing` for a name that is missing.
    public let found: String
  }

  /// Where a value first has not the shape: at the lowest place in an array and the first name in alphabetical order.
  ///
  /// - Parameter value: what is compared with the shape.
  /// - Returns: the place and what is wrong; `nil` if the value has the shape.
  public func mismatch(in value: JSON) -> Mismatch? {
    guard let fault = fault(in: value) else { return nil }
    return Mismatch(path: Array(fault.path.reversed()).pathText, expected: fault.expected, found: fault.found)
  }

  /// Only what is wrong makes a path, from the inside out.
  private struct Fault {
    var path: [any CodingKey] = []
    let expected: String
    let found: String

    func inside(_ key: PartKey) -> Fault {
      var fault = self
      fault.path.append(key)
      return fault
    }
  }

  // Calls itself as often as the shape has levels, whatever the value.
  private func fault(in value: JSON) -> Fault? {
    switch (self, value) {
    case (.any, _), (_, .null), (.bool, .bool), (.string, .string): return nil
    case (.number, .integer), (.number, .unsigned), (.number, .number): return nil
    case (.array(let shapes), .array(let elements)):
      if shapes.isEmpty { return nil }
      for (index, element) in elements.enumerated() {
        if let fault = Self.fault(of: shapes, in: element) { return fault.inside(PartKey(intValue: index)) }
      }
      return nil
    case (.object(let shapes), .object(let members)):
      var first: (name: String, fault: Fault)?
      for (name, shape) in shapes {
        if let first, first.name < name { continue }
        guard let fault = shape.fault(inMember: members[name]) else { continue }
        first = (name, fault)
      }
      return first.map { $0.fault.inside(PartKey(stringValue: $0.name)) }
    default: return Fault(expected: kind, found: value.kind)
    }
  }

  private func fault(inMember value: JSON?) -> Fault? {
    guard let value else { return Fault(expected: kind, found: "nothing") }
    return fault(in: value)
  }

  /// What is wrong if none of the shapes is right.
  private static func fault(of shapes: [JSONShape], in value: JSON) -> Fault? {
    if shapes.count == 1 { return shapes[0].fault(in: value) }
    if shapes.contains(where: { $0.fault(in: value) == nil }) { return nil }
    // The one of the same kind says more about what is wrong.
    if let alike = shapes.first(where: { $0.kind == value.kind }) { return alike.fault(in: value) }
    return Fault(expected: shapes.map(\.kind).joined(separator: " or "), found: value.kind)
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
  /// Makes the shape of an array.
  public init(arrayLiteral elements: JSONShape...) {
    self = .array(elements)
  }

  /// Makes the shape of an object; of shapes with the same name the last one stays.
  public init(dictionaryLiteral elements: (String, JSONShape)...) {
    self = .object(Dictionary(elements) { $1 })
  }
}

extension JSONShape.Mismatch: CustomStringConvertible {
  /// One line, such as `items[3].price is string, not number` or `owner.name is missing`.
  public var description: String {
    found == "nothing" ? "\(path) is missing" : "\(path) is \(found), not \(expected)"
  }
}
