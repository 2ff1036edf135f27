// One generic method serves for all overloads of the protocols; scalars are recognized by their type.
// 128-bit integers need their own methods, because the protocols' default implementations throw.

struct KeyedParameterContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ParameterEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) { encoder.node.set(.null, for: key.stringValue) }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    encoder.node.set(try encoder.value(of: value, key), for: key.stringValue)
  }

  func encode(_ value: Int128, forKey key: Key) throws { encoder.node.set(.whole(value), for: key.stringValue) }
  func encode(_ value: UInt128, forKey key: Key) throws { encoder.node.set(.whole(value), for: key.stringValue) }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    nestedEncoder(key).container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { nestedEncoder(key).unkeyedContainer() }
  func superEncoder() -> any Encoder { nestedEncoder(PathKey(stringValue: "super")) }
  func superEncoder(forKey key: Key) -> any Encoder { nestedEncoder(key) }

  private func nestedEncoder(_ key: any CodingKey) -> ParameterEncoder {
    let name = key.stringValue
    return encoder.nestedEncoder(key, existing: encoder.node.child(for: name)) { encoder.node.set($0, for: name) }
  }
}

struct UnkeyedParameterContainer: UnkeyedEncodingContainer {
  let encoder: ParameterEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.node.count }

  func encodeNil() { encoder.node.append(.null) }

  func encode(_ value: some Encodable) throws {
    encoder.node.append(try encoder.value(of: value, PathKey(intValue: count)))
  }

  func encode(_ value: Int128) throws { encoder.node.append(.whole(value)) }
  func encode(_ value: UInt128) throws { encoder.node.append(.whole(value)) }

  func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
    nestedEncoder.container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nestedEncoder.unkeyedContainer() }
  func superEncoder() -> any Encoder { nestedEncoder }

  private var nestedEncoder: ParameterEncoder {
    encoder.nestedEncoder(PathKey(intValue: count)) { encoder.node.append($0) }
  }
}

struct SingleParameterContainer: SingleValueEncodingContainer {
  let encoder: ParameterEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() throws { try set(.null) }
  func encode(_ value: some Encodable) throws { try set(try encoder.value(of: value)) }
  func encode(_ value: Int128) throws { try set(.whole(value)) }
  func encode(_ value: UInt128) throws { try set(.whole(value)) }

  private func set(_ value: ParameterValue) throws {
    guard encoder.node.kind == .nothing, encoder.node.begin(.single) else {
      throw ParameterError("encodes more than one value into a single-value container", path: codingPath)
    }
    encoder.node.set(value)
  }
}

/// The coding key of an element or of a superclass.
struct PathKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}
