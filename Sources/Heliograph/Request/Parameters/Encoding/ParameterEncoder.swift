import Foundation

/// An encoder of `Encodable` values as ``ParameterValue``, in the order of their properties; the depth is limited,
/// because each level is a nested call of `encode(to:)` and uses stack.
struct ParameterEncoder: Encoder {
  let node: EncodedNode
  let codingPath: [any CodingKey]
  /// The number of enclosing `encode(to:)` calls.
  let depth: Int
  let state: EncodingState

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  static func encode(_ value: some Encodable) throws(ParameterError) -> ParameterValue {
    let state = EncodingState()
    do {
      let result = try ParameterValue.scalar(value, path: [], nil) ?? state.encode(value, path: [], depth: 0)
      if let failure = state.failure { throw failure }
      return result
    } catch let failure as ParameterError {
      throw failure
    } catch {
      // The error's text may quote the value, so it is attached and kept out of the reason.
      throw ParameterError("cannot be encoded", path: state.path(of: error), underlying: error)
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedParameterContainer(encoder: begin(.object)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedParameterContainer(encoder: begin(.array)) }

  func singleValueContainer() -> any SingleValueEncodingContainer { SingleParameterContainer(encoder: self) }

  /// Returns this encoder for an object or array; an encoder whose output is discarded if its node has another kind.
  private func begin(_ kind: EncodedNode.Kind) -> ParameterEncoder {
    if node.begin(kind) { return self }
    state.record(ParameterError("requests containers of different kinds", path: codingPath))
    return ParameterEncoder(node: EncodedNode(kind), codingPath: codingPath, depth: depth, state: state)
  }

  /// Returns an encoder for a nested value, with its existing node if any; its output is discarded if nested too deep.
  func nestedEncoder(
    _ key: any CodingKey, existing: EncodedNode? = nil, attach: (EncodedNode) -> Void
  ) -> ParameterEncoder {
    guard depth < ParameterRules.maximumDepth else {
      state.record(ParameterError(ParameterError.tooDeep, path: Array(codingPath.prefix(8))))
      // The path stops growing too, because copying it at each level would take quadratic time.
      return ParameterEncoder(node: EncodedNode(), codingPath: codingPath, depth: depth, state: state)
    }
    let node = existing ?? EncodedNode()
    if existing == nil { attach(node) }
    return ParameterEncoder(node: node, codingPath: codingPath + [key], depth: depth + 1, state: state)
  }

  func value(of property: some Encodable, _ key: (any CodingKey)? = nil) throws -> ParameterValue {
    if let scalar = try ParameterValue.scalar(property, path: codingPath, key) { return scalar }
    return try state.encode(property, path: key.map { codingPath + [$0] } ?? codingPath, depth: depth)
  }
}

/// The state shared by all encoders of one value.
final class EncodingState {
  /// The first failure of a container that cannot throw.
  private(set) var failure: ParameterError?
  /// The deepest coding path at which an error occurred.
  private var failurePath: [any CodingKey] = []

  func record(_ failure: ParameterError) {
    if self.failure == nil { self.failure = failure }
  }

  func path(of error: any Error) -> [any CodingKey] {
    if case EncodingError.invalidValue(_, let context) = error, context.codingPath.count > failurePath.count {
      return context.codingPath
    }
    return failurePath
  }

  func encode(_ value: some Encodable, path: [any CodingKey], depth: Int) throws -> ParameterValue {
    guard depth < ParameterRules.maximumDepth else {
      throw ParameterError(ParameterError.tooDeep, path: Array(path.prefix(8)))
    }
    let node = EncodedNode()
    do {
      try value.encode(to: ParameterEncoder(node: node, codingPath: path, depth: depth + 1, state: self))
    } catch {
      if path.count > failurePath.count { failurePath = path }
      throw error
    }
    guard let source = value as? any HashOrdered else { return node.value }
    return try type(of: source).sorted(node.value)
  }
}

extension ParameterValue {
  /// Returns the value of a type that needs no `encode(to:)`: standard library scalars and supported Foundation types;
  /// types are compared first, which is much cheaper than a failing cast.
  static func scalar<Value>(_ value: Value, path: [any CodingKey], _ key: (any CodingKey)?) throws -> ParameterValue? {
    func cast<Target>(_ type: Target.Type) -> Target? { Value.self == type ? value as? Target : nil }
    func notFinite() -> ParameterError {
      ParameterError(ParameterError.notFinite, path: path + (key.map { [$0] } ?? []))
    }

    if let text = cast(String.self) { return .string(text) }
    if let isTrue = cast(Bool.self) { return .bool(isTrue) }
    if let number = cast(Double.self) ?? cast(Float.self).map({ $0.decimalDouble }) {
      guard number.isFinite else { throw notFinite() }
      return .number(number)
    }
    if let integer = whole(value) { return integer }
    if let date = cast(Date.self) { return .date(date) }
    if let data = cast(Data.self) { return .data(data) }
    if let url = cast(URL.self) { return .string(url.absoluteString) }
    if let identifier = cast(UUID.self) { return .string(identifier.uuidString) }
    if let decimal = cast(Decimal.self) {
      guard decimal.isFinite else { throw notFinite() }
      return .decimal(decimal)
    }
    return nil
  }

  private static func whole<Value>(_ value: Value) -> ParameterValue? {
    func cast<Target: FixedWidthInteger>(_ type: Target.Type) -> ParameterValue? {
      Value.self == type ? (value as? Target).map { .whole($0) } : nil
    }
    if let result = cast(Int.self) { return result }
    if let result = cast(Int64.self) { return result }
    if let result = cast(Int32.self) { return result }
    if let result = cast(Int16.self) { return result }
    if let result = cast(Int8.self) { return result }
    if let result = cast(UInt.self) { return result }
    if let result = cast(UInt64.self) { return result }
    if let result = cast(UInt32.self) { return result }
    if let result = cast(UInt16.self) { return result }
    if let result = cast(UInt8.self) { return result }
    if let result = cast(Int128.self) { return result }
    return cast(UInt128.self)
  }

  /// Returns the smallest case that holds an integer of at most 128 bits.
  static func whole(_ value: some FixedWidthInteger) -> ParameterValue {
    if let integer = Int64(exactly: value) { return .integer(integer) }
    if let unsigned = UInt64(exactly: value) { return .unsigned(unsigned) }
    // A `Decimal` has a 128-bit mantissa and a separate sign bit.
    let digits = UInt128(value.magnitude)
    let high = Decimal(UInt64(truncatingIfNeeded: digits >> 64)) * (Decimal(UInt64.max) + 1)
    let magnitude = high + Decimal(UInt64(truncatingIfNeeded: digits))
    return .decimal(value < 0 ? -magnitude : magnitude)
  }
}

extension Float {
  /// The `Double` with the same shortest decimal representation: 0.1, not 0.10000000149011612.
  var decimalDouble: Double { Double(description) ?? Double(self) }
}
