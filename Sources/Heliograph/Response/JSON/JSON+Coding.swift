import Foundation

extension JSON: Codable {
  /// Decodes any value.
  ///
  /// A decoder does not report the kind of its value, so each kind is tried in turn. `JSON(data:)` is nine times as
  /// fast. Names are unchanged, whatever the decoder's strategy for keys. Of two values with the same name, the
  /// decoder chooses one.
  /// - Throws: A `DecodingError` for a number that is too large for a `Double` and for more levels than
  ///   ``maximumNestedDepth``; the decoder's error for invalid JSON.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let text = try container.decodeIfKind(String.self) {
      self = .string(text)
    } else if let number = try container.number() {
      self = number
    } else {
      // Read only here, because creating the path is slow and most values are scalars.
      let path = decoder.codingPath
      guard path.count < Self.maximumNestedDepth else {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(
            codingPath: Array(path.prefix(8)), debugDescription: "more than \(Self.maximumNestedDepth) levels"))
      }
      if let members = try container.decodeIfKind([String: JSON].self, at: path.count) {
        self = .object(members)
      } else if let isTrue = try container.decodeIfKind(Bool.self) {
        self = .bool(isTrue)
      } else if let elements = try container.decodeIfKind([JSON].self, at: path.count) {
        self = .array(elements)
      } else {
        self = .number(try container.decode(Double.self))
      }
    }
  }

  /// Encodes the value.
  ///
  /// - Throws: An `EncodingError` for more levels than ``maximumNestedDepth``; otherwise the encoder's error, such as
  ///   for NaN or an infinity.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let isTrue): try container.encode(isTrue)
    case .integer(let number): try container.encode(number)
    case .unsigned(let number): try container.encode(number)
    // Encoded as an integer, because the shortest digits of a `Double` would change a 64-bit number.
    case .number(let number) where number.magnitude >= 0x1p53 && number.magnitude <= 0x1p64:
      if let integer = Int64(exactly: number) {
        try container.encode(integer)
      } else if let integer = UInt64(exactly: number) {
        try container.encode(integer)
      } else {
        try container.encode(number)
      }
    case .number(let number): try container.encode(number)
    case .string(let text): try container.encode(text)
    case .array(let elements):
      try checkDepth(encoder)
      try container.encode(elements)
    case .object(let members):
      try checkDepth(encoder)
      try container.encode(members)
    }
  }

  private func checkDepth(_ encoder: any Encoder) throws {
    let path = encoder.codingPath
    guard path.count >= Self.maximumNestedDepth else { return }
    throw EncodingError.invalidValue(
      self,
      EncodingError.Context(
        codingPath: Array(path.prefix(8)), debugDescription: "more than \(Self.maximumNestedDepth) levels"))
  }
}

extension SingleValueDecodingContainer {
  /// Decodes a value; returns `nil` for another kind, and throws if an element below the depth has another kind.
  fileprivate func decodeIfKind<Value: Decodable>(_ type: Value.Type, at depth: Int = .max) throws -> Value? {
    do {
      return try decode(type)
    } catch DecodingError.typeMismatch(_, let context) where context.codingPath.count <= depth {
      return nil
    }
  }

  /// Decodes a number; returns `nil` if the value has another kind.
  fileprivate func number() throws -> JSON? {
    do {
      let integer = try decode(Int64.self)
      return integer.magnitude > 1 << 53 ? try largeNumber() : .integer(integer)
    } catch DecodingError.typeMismatch {
      return nil
    } catch {
      // A number that does not fit into an `Int64`.
      return try largeNumber()
    }
  }

  /// Decodes a number with all of its digits; as an integer, a number with a fraction would be truncated.
  private func largeNumber() throws -> JSON {
    let number = try decode(Double.self)
    guard number.magnitude >= 0x1p53, number.magnitude <= 0x1p64, let decimal = try? decode(Decimal.self) else {
      return .number(number)
    }
    let digits = decimal.description
    return Int64(digits).map { .integer($0) } ?? UInt64(digits).map { .unsigned($0) } ?? .number(number)
  }
}
