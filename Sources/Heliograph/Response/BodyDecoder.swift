public import Foundation
public import Signals

/// Makes JSON bodies into values.
///
/// The type is tried at the root first. If the root is of another kind and is an array, its elements are tried one by
/// one: each is sent as a response of its own, in order, and the first bad one ends the signal with one error.
public struct BodyDecoder: Sendable {
  private let makeDecoder: @Sendable () -> JSONDecoder

  /// Makes a decoder.
  ///
  /// - Parameter makeDecoder: makes the JSON decoder for each body. Default: `JSONDecoder` as it comes.
  public init(_ makeDecoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }) {
    self.makeDecoder = makeDecoder
  }

  /// The values that a response holds.
  ///
  /// - Parameters:
  ///   - type: what to decode. An empty body gives a value for optional types and ``NoContent``.
  ///   - response: the response with its body.
  /// - Returns: one response, or one for each element of an array; it fails with a `processing` error that keeps the body.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type, from response: Response<Data>
  ) -> Signal<Response<Value>, NetworkError> {
    if response.value.isEmpty { return decodeEmpty(type, response) }
    do {
      return .just(try response.map { try makeDecoder().decode(type, from: $0) })
    } catch DecodingError.typeMismatch(_, let context) where context.codingPath.isEmpty {
      return decodeElements(type, response)
    } catch {
      return .fail(failure(error, response))
    }
  }

  private func decodeEmpty<Value>(
    _ type: Value.Type, _ response: Response<Data>
  ) -> Signal<Response<Value>, NetworkError> {
    if let representable = type as? any EmptyBodyDecodable.Type, let value = representable.emptyBody as? Value {
      return .just(response.replacing(value))
    }
    return .fail(
      NetworkError(
        .processing, .emptyBody, reason: "the body is empty, and there is no \(type) for that", response: response))
  }

  private func decodeElements<Value: Decodable & Sendable>(
    _ type: Value.Type, _ response: Response<Data>
  ) -> Signal<Response<Value>, NetworkError> {
    do {
      let elements = try makeDecoder().decode(Elements<Value>.self, from: response.value)
      let values = Signal<Response<Value>, NetworkError>.from(
        elements.values.map { response.replacing($0) })
      guard let failed = elements.failure else { return values }
      return values.concat(.fail(failure(failed, response, prefix: "Invalid JSON array element: ")))
    } catch {
      return .fail(failure(error, response, prefix: "Response wasn't an array or dictionary: "))
    }
  }

  private func failure(_ error: any Error, _ response: Response<Data>, prefix: String = "") -> NetworkError {
    var isMalformed = false
    if case .dataCorrupted(let context)? = error as? DecodingError { isMalformed = context.codingPath.isEmpty }
    return NetworkError(
      .processing, isMalformed ? .malformedBody : .unexpectedShape, reason: prefix + explanation(error),
      response: response, underlying: error)
  }

  /// The path of what is wrong, and what is.
  private func explanation(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    switch error {
    case .keyNotFound(let key, let context): return "\((context.codingPath + [key]).joined) is missing"
    case .valueNotFound(let type, let context): return "\(context.codingPath.joined) is null, not \(type)"
    case .typeMismatch(let type, let context): return "\(context.codingPath.joined) is not \(type)"
    case .dataCorrupted(let context): return "\(context.codingPath.joined): \(context.debugDescription)"
    @unknown default: return "\(error)"
    }
  }
}

/// Decodes the elements of an array up to the first bad one.
private struct Elements<Value: Decodable>: Decodable {
  var values: [Value] = []
  var failure: (any Error)?

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    while !container.isAtEnd {
      do {
        values.append(try container.decode(Value.self))
      } catch {
        failure = error
        return
      }
    }
  }
}

extension [any CodingKey] {
  /// The path as a developer writes it: `data.items[3].price`.
  fileprivate var joined: String {
    let path = reduce(into: "") { path, key in
      if let index = key.intValue { path += "[\(index)]" } else { path += (path.isEmpty ? "" : ".") + key.stringValue }
    }
    return path.isEmpty ? "the root" : path
  }
}

/// A type that has a value for an empty body.
public protocol EmptyBodyDecodable {
  /// The value that stands for an empty body.
  static var emptyBody: Self { get }
}

extension Optional: EmptyBodyDecodable {
  /// `nil`.
  public static var emptyBody: Wrapped? { nil }
}

/// The value of a response whose body does not matter, such as a 204.
public struct NoContent: Decodable, Sendable, Hashable, EmptyBodyDecodable {
  /// The only value there is.
  public static var emptyBody: NoContent { NoContent() }

  /// Makes the value.
  public init() {}

  /// Accepts whatever the body is.
  public init(from decoder: any Decoder) throws {}
}
