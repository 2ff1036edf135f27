package import Foundation
import Signals

extension JSONDecoder {
  /// Returns the path of the value that cannot be decoded, for an error of the decoder without a path.
  ///
  /// Foundation's decoder reports "not valid JSON" without a path for a number that is out of range or has a
  /// fraction. This method decodes the body again, and then each level on the path to the fault.
  ///
  /// With a key strategy the names of a dictionary in the path are the converted ones.
  ///
  /// Complexity: O(size × levels). A recursive type and a malicious body could make this expensive and overflow the
  /// stack, so at most 16 MiB in total and 32 levels are decoded again; if that is not enough, the path ends above the
  /// fault.
  /// - Returns: The path; `nil` if the body can be decoded, or if the error has a path itself.
  package func faultPath<Value: Decodable>(of type: Value.Type, in data: Data) -> [any CodingKey]? {
    let trace = Trace(levelCount: min(32, 16_777_216 / max(data.count, 1)))
    let former = userInfo
    defer { userInfo = former }
    userInfo[.faultTrace] = trace
    do {
      _ = try decode(Traced<Value>.self, from: data)
      return nil
    } catch {
      return trace.path
    }
  }
}

extension CodingUserInfoKey {
  fileprivate static let faultTrace = CodingUserInfoKey(rawValue: "Heliograph.faultTrace")!
}

/// A recorder of the path of the latest fault.
private final class Trace: Sendable {
  private struct State {
    var path: [any CodingKey]?
    /// The number of levels that may still be decoded again.
    var levelCount: Int
  }

  private let state: Guarded<State>

  init(levelCount: Int) { state = Guarded(State(levelCount: levelCount)) }

  var path: [any CodingKey]? { state.withLock { $0.path } }

  /// Decodes a value; if that fails without a path, stores the path and decodes the inner levels.
  func trace<Value, Inner: Decodable>(
    _ path: @autoclosure () -> [any CodingKey], _ decode: () throws -> Value,
    descend: (Traced<Inner>.Type) throws -> Traced<Inner>
  ) throws -> Value {
    do {
      return try decode()
    } catch {
      let faultPath = path()
      let hasNoPath = !(error is DecodingError)
      let mayDescend = state.withLock { state in
        state.path = hasNoPath ? faultPath : nil
        state.levelCount -= hasNoPath ? 1 : 0
        return hasNoPath && state.levelCount >= 0
      }
      if mayDescend { _ = try? descend(Traced<Inner>.self) }
      throw error
    }
  }
}

/// A value decoded with a decoder that records the path of a failure.
private struct Traced<Value: Decodable>: Decodable {
  init(from decoder: any Decoder) throws {
    guard let trace = decoder.userInfo[.faultTrace] as? Trace else { return }
    _ = try Value(from: TracingDecoder(inner: decoder, trace: trace, type: Value.self))
  }
}

private struct TracingDecoder: Decoder {
  let inner: any Decoder
  let trace: Trace
  /// The type that this decoder decodes; `nil` if unknown.
  var type: Any.Type?

  var codingPath: [any CodingKey] { inner.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { inner.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(TracedKeys(inner: try inner.container(keyedBy: type), trace: trace))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    TracedElements(inner: try inner.unkeyedContainer(), trace: trace)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    TracedValue(inner: try inner.singleValueContainer(), trace: trace, type: type)
  }
}

// One generic method replaces all overloads of the protocols.

private struct TracedKeys<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let inner: KeyedDecodingContainer<Key>
  let trace: Trace

  var codingPath: [any CodingKey] { inner.codingPath }
  var allKeys: [Key] { inner.allKeys }

  func contains(_ key: Key) -> Bool { inner.contains(key) }
  func decodeNil(forKey key: Key) throws -> Bool { try inner.decodeNil(forKey: key) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try trace.trace(codingPath + [key]) {
      try inner.decode(type, forKey: key)
    } descend: { (traced: Traced<Value>.Type) in
      try inner.decode(traced, forKey: key)
    }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    let nested = try inner.nestedContainer(keyedBy: type, forKey: key)
    return KeyedDecodingContainer(TracedKeys<Nested>(inner: nested, trace: trace))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    TracedElements(inner: try inner.nestedUnkeyedContainer(forKey: key), trace: trace)
  }

  func superDecoder() throws -> any Decoder { TracingDecoder(inner: try inner.superDecoder(), trace: trace) }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    TracingDecoder(inner: try inner.superDecoder(forKey: key), trace: trace)
  }
}

private struct TracedElements: UnkeyedDecodingContainer {
  var inner: any UnkeyedDecodingContainer
  let trace: Trace

  var codingPath: [any CodingKey] { inner.codingPath }
  var count: Int? { inner.count }
  var isAtEnd: Bool { inner.isAtEnd }
  var currentIndex: Int { inner.currentIndex }

  mutating func decodeNil() throws -> Bool { try inner.decodeNil() }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    // A failed element remains the next one, so that its levels can be decoded again.
    try trace.trace(inner.codingPath + [PathKey(intValue: inner.currentIndex)]) {
      try inner.decode(type)
    } descend: { (traced: Traced<Value>.Type) in
      try inner.decode(traced)
    }
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(TracedKeys<Nested>(inner: try inner.nestedContainer(keyedBy: type), trace: trace))
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    TracedElements(inner: try inner.nestedUnkeyedContainer(), trace: trace)
  }

  mutating func superDecoder() throws -> any Decoder {
    TracingDecoder(inner: try inner.superDecoder(), trace: trace)
  }
}

private struct TracedValue: SingleValueDecodingContainer {
  let inner: any SingleValueDecodingContainer
  let trace: Trace
  let type: Any.Type?

  var codingPath: [any CodingKey] { inner.codingPath }

  func decodeNil() -> Bool { inner.decodeNil() }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    // A scalar decodes its own type: tracing it again would recurse without end.
    if type == self.type { return try inner.decode(type) }
    return try trace.trace(codingPath) {
      try inner.decode(type)
    } descend: { (traced: Traced<Value>.Type) in
      try inner.decode(traced)
    }
  }
}

extension [any CodingKey] {
  /// The path in dot notation: `data.items[3].price`.
  package var pathText: String { text { $0.stringValue } }

  /// The path for a log: `data[…].price`, where `[…]` replaces a name that may come from the body.
  ///
  /// Keys of a dictionary may be secret, such as tokens. The cases of an enumeration are declared in code.
  var loggedPathText: String { text { $0.isDeclared ? $0.stringValue : nil } }

  private func text(_ name: (any CodingKey) -> String?) -> String {
    let path = reduce(into: "") { path, key in
      if let index = key.arrayIndex {
        path += "[\(index)]"
      } else if let name = name(key) {
        path += (path.isEmpty ? "" : ".") + name
      } else {
        path += "[…]"
      }
    }
    return path.isEmpty ? "the root" : path
  }
}

extension CodingKey {
  /// The index in an array; `nil` for the key of a dictionary, whose `intValue` is a number if its name is one.
  fileprivate var arrayIndex: Int? { self is PathKey || stringValue == intValue.map { "Index \($0)" } ? intValue : nil }

  /// Whether the key is a case declared in code; with a key strategy, that of Foundation for a dictionary is a case
  /// with the body's name as its payload.
  fileprivate var isDeclared: Bool {
    let mirror = Mirror(reflecting: self)
    return self is EnvelopeFields.Key || (mirror.displayStyle == .enum && mirror.children.isEmpty)
  }
}
