import Foundation

/// Encodes an `Encodable` value as a ``ParameterValue`` in the order of its properties.
///
/// Each nested `encode(to:)` is a call inside the call of the outer value. The depth is limited, because each level
/// uses stack.
struct ParameterEncoder: Encoder {
  let node: EncodedNode
  let codingPath: [any CodingKey]
  /// The number of enclosing `encode(to:)` calls.
  let depth: Int
  let course: EncodingCourse

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  static func encode(_ value: some Encodable) throws(ParameterRefusal) -> ParameterValue {
    let course = EncodingCourse()
    do {
      let result = try ParameterValue.scalar(value, path: [], nil) ?? course.encode(value, path: [], depth: 0)
      if let refusal = course.refusal { throw refusal }
      return result
    } catch let refusal as ParameterRefusal {
      throw refusal
    } catch {
      // The error's text may contain a part of the value, so it is attached and not part of the reason.
      throw ParameterRefusal("cannot be encoded", path: course.path(of: error), underlying: error)
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedPart(encoder: begin(.object)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedPart(encoder: begin(.array)) }

  func singleValueContainer() -> any SingleValueEncodingContainer { SinglePart(encoder: self) }

  /// Returns this encoder with its node begun as an object or array; a detached encoder if the node has another kind.
  private func begin(_ kind: EncodedNode.Kind) -> ParameterEncoder {
    if node.begin(kind) { return self }
    course.refuse(ParameterRefusal("requests containers of different kinds", path: codingPath))
    return ParameterEncoder(node: EncodedNode(kind), codingPath: codingPath, depth: depth, course: course)
  }

  /// Returns an encoder for a nested value, reusing its node if begun; a detached encoder beyond the maximum depth.
  func inner(
    _ key: any CodingKey, begun: EncodedNode? = nil, attach: (EncodedNode) -> Void
  ) -> ParameterEncoder {
    guard depth < ParameterRules.maximumDepth else {
      course.refuse(ParameterRefusal(ParameterRefusal.tooDeep, path: Array(codingPath.prefix(8))))
      // The path stops growing as well: copying it at each level would take quadratic time.
      return ParameterEncoder(node: EncodedNode(), codingPath: codingPath, depth: depth, course: course)
    }
    let node = begun ?? EncodedNode()
    if begun == nil { attach(node) }
    return ParameterEncoder(node: node, codingPath: codingPath + [key], depth: depth + 1, course: course)
  }

  /// Returns the encoded value of an element or property.
  func value(of part: some Encodable, _ key: (any CodingKey)? = nil) throws -> ParameterValue {
    if let scalar = try ParameterValue.scalar(part, path: codingPath, key) { return scalar }
    return try course.encode(part, path: key.map { codingPath + [$0] } ?? codingPath, depth: depth)
  }
}

/// The state shared by all encoders of one value.
final class EncodingCourse {
  /// The first failure of a container that cannot throw.
  private(set) var refusal: ParameterRefusal?
  /// The deepest coding path at which an error occurred.
  private var failurePath: [any CodingKey] = []

  func refuse(_ refusal: ParameterRefusal) {
    if self.refusal == nil { self.refusal = refusal }
  }

  func path(of error: any Error) -> [any CodingKey] {
    if case EncodingError.invalidValue(_, let context) = error, context.codingPath.count > failurePath.count {
      return context.codingPath
    }
    return failurePath
  }

  func encode(_ value: some Encodable, path: [any CodingKey], depth: Int) throws -> ParameterValue {
    guard depth < ParameterRules.maximumDepth else {
      throw ParameterRefusal(ParameterRefusal.tooDeep, path: Array(path.prefix(8)))
    }
    let node = EncodedNode()
    do {
      try value.encode(to: ParameterEncoder(node: node, codingPath: path, depth: depth + 1, course: self))
    } catch {
      if path.count > failurePath.count { failurePath = path }
      throw error
    }
    guard let source = value as? any HashOrdered else { return node.value }
    return try type(of: source).sorted(node.value)
  }
}
