import Foundation

/// Makes an encodable value into the value of a parameter and keeps the order in which it names its parts.
///
/// The stack is the value's own: each part that is encoded by its own `encode(to:)` is a call inside the call of the
/// whole, which is why their number is limited.
struct ParameterEncoder: Encoder {
  let node: EncodedNode
  let codingPath: [any CodingKey]
  /// How many calls of `encode(to:)` are around.
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
      // What the error says may hold a part of the value, so that it stands beside the reason and not in it.
      throw ParameterRefusal("cannot be encoded", path: course.path(of: error), underlying: error)
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedPart(encoder: begin(.object)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedPart(encoder: begin(.array)) }

  func singleValueContainer() -> any SingleValueEncodingContainer { SinglePart(encoder: self) }

  /// The same encoder once its node is an object or array; one that leads nowhere if it is something else already.
  private func begin(_ kind: EncodedNode.Kind) -> ParameterEncoder {
    if node.begin(kind) { return self }
    course.refuse(ParameterRefusal("asks for containers of different kinds", path: codingPath))
    return ParameterEncoder(node: EncodedNode(kind), codingPath: codingPath, depth: depth, course: course)
  }

  /// An encoder for a part whose place is kept, or that was begun before; it leads nowhere if there are too many levels.
  func inner(
    _ key: any CodingKey, begun: EncodedNode? = nil, attach: (EncodedNode) -> Void
  ) -> ParameterEncoder {
    guard depth < ParameterRules.maximumDepth else {
      course.refuse(ParameterRefusal(ParameterRefusal.tooDeep, path: Array(codingPath.prefix(8))))
      // The path grows no further either: copying it at every level would take the square of the time.
      return ParameterEncoder(node: EncodedNode(), codingPath: codingPath, depth: depth, course: course)
    }
    let node = begun ?? EncodedNode()
    if begun == nil { attach(node) }
    return ParameterEncoder(node: node, codingPath: codingPath + [key], depth: depth + 1, course: course)
  }

  /// The value of a part.
  func value(of part: some Encodable, _ key: (any CodingKey)? = nil) throws -> ParameterValue {
    if let scalar = try ParameterValue.scalar(part, path: codingPath, key) { return scalar }
    return try course.encode(part, path: key.map { codingPath + [$0] } ?? codingPath, depth: depth)
  }
}

/// What all encoders of one value share.
final class EncodingCourse {
  /// What a container could not throw.
  private(set) var refusal: ParameterRefusal?
  /// The innermost place that an error came by.
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
