package import Foundation
import Signals

extension JSONDecoder {
  /// Where in a body a value does not fit its type, when the decoder's own error does not say.
  ///
  /// Foundation's decoder says "not valid JSON", and no place, of a number that is too large for its type or has a
  /// fraction. This decodes the body once more, and on the way down to the fault each level again.
  ///
  /// Complexity: O(size × levels), which a recursive type and a hostile body could drive far: no more than 16 MiB in all are
  /// decoded again. Where that is too little, the path ends above the fault.
  /// - Parameters:
  ///   - type: what could not be decoded.
  ///   - data: the body.
  /// - Returns: the path; `nil` if the body can be decoded, or the error knows its place itself.
  package func faultPath<Value: Decodable>(of type: Value.Type, in data: Data) -> [any CodingKey]? {
    let trace = Trace(levelCount: FaultBound.byteCount / max(data.count, 1))
    let before = userInfo
    defer { userInfo = before }
    userInfo[.faultTrace] = trace
    do {
      _ = try decode(Traced<Value>.self, from: data)
      return nil
    } catch {
      return trace.path
    }
  }
}

/// How many bytes, in all levels together, are decoded again to find a fault.
private enum FaultBound {
  static let byteCount = 16_777_216
}

extension CodingUserInfoKey {
  fileprivate static let faultTrace = CodingUserInfoKey(rawValue: "Heliograph.faultTrace")!
}

/// The place of the fault that was seen last.
private final class Trace: Sendable {
  private struct State {
    var path: [any CodingKey]?
    /// How many more levels may be decoded again.
    var levelCount: Int
  }

  private let state: Guarded<State>

  init(levelCount: Int) { state = Guarded(State(levelCount: levelCount)) }

  var path: [any CodingKey]? { state.withLock { $0.path } }

  /// Decodes something; if that fails without a place, keeps the place and looks inside.
  func follow<Value, Part: Decodable>(
    _ path: @autoclosure () -> [any CodingKey], _ decode: () throws -> Value,
    inside: (Traced<Part>.Type) throws -> Traced<Part>
  ) throws -> Value {
    do {
      return try decode()
    } catch {
      let place = path()
      let isPlaceless = !(error is DecodingError)
      let mayDescend = state.withLock { state in
        state.path = isPlaceless ? place : nil
        state.levelCount -= isPlaceless ? 1 : 0
        return isPlaceless && state.levelCount >= 0
      }
      if mayDescend { _ = try? inside(Traced<Part>.self) }
      throw error
    }
  }
}

/// Decodes a value by a decoder that keeps the place of what fails.
private struct Traced<Value: Decodable>: Decodable {
  init(from decoder: any Decoder) throws {
    guard let trace = decoder.userInfo[.faultTrace] as? Trace else { return }
    _ = try Value(from: TracingDecoder(inner: decoder, trace: trace, type: Value.self))
  }
}

private struct TracingDecoder: Decoder {
  let inner: any Decoder
  let trace: Trace
  /// What is decoded here; `nil` if that is not known.
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

// One generic method stands for all of the overloads that the protocols ask for.

private struct TracedKeys<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let inner: KeyedDecodingContainer<Key>
  let trace: Trace

  var codingPath: [any CodingKey] { inner.codingPath }
  var allKeys: [Key] { inner.allKeys }

  func contains(_ key: Key) -> Bool { inner.contains(key) }
  func decodeNil(forKey key: Key) throws -> Bool { try inner.decodeNil(forKey: key) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try trace.follow(codingPath + [key]) {
      try inner.decode(type, forKey: key)
    } inside: { (traced: Traced<Value>.Type) in
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
    // What fails here stays the next element, so that it can be looked into.
    try trace.follow(inner.codingPath + [PartKey(intValue: inner.currentIndex)]) {
      try inner.decode(type)
    } inside: { (traced: Traced<Value>.Type) in
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
    // A number asks for itself: nothing is inside.
    if type == self.type { return try inner.decode(type) }
    return try trace.follow(codingPath) {
      try inner.decode(type)
    } inside: { (traced: Traced<Value>.Type) in
      try inner.decode(traced)
    }
  }
}
