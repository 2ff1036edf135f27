import Foundation
import Signals

/// Async methods for types whose conformance to `Decodable` is isolated to an actor, such as all types in a module with
/// the default isolation `MainActor`.
///
/// The body is decoded on the caller's actor, which a large body blocks: mark the type `nonisolated` to decode it on
/// ``Configuration/processing``. With an envelope, the body is decoded twice, first by the envelope alone. If an
/// accepted response then fails to decode, monitors still report it as received.
extension NetworkClient {
  /// Sends a request and returns the response with its body decoded on the caller's actor.
  ///
  /// The compiler chooses this method for types with an isolated conformance to `Decodable`; see `send(_:as:)` for all
  /// others.
  /// - Parameters:
  ///   - request: The request.
  ///   - type: The type to decode.
  /// - Returns: The response.
  /// - Throws: A ``NetworkError`` for every failure, and when the task is cancelled.
  public func send<Output: Decodable>(
    _ request: some RequestConvertible, as type: Output.Type
  ) async throws(NetworkError) -> Response<Output> {
    try await sendDecodingHere(request, as: type)
  }

  /// Sends a request, which may be a string literal, and returns the response with its body decoded on the caller's actor.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - type: The type to decode.
  /// - Returns: The response.
  /// - Throws: A ``NetworkError`` for every failure, and when the task is cancelled.
  public func send<Output: Decodable>(
    _ request: Request, as type: Output.Type
  ) async throws(NetworkError) -> Response<Output> {
    try await sendDecodingHere(request, as: type)
  }

  /// Sends a request and returns the value of the response, decoded on the caller's actor.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - type: The type to decode.
  /// - Returns: The value.
  /// - Throws: A ``NetworkError`` for every failure, and when the task is cancelled.
  public func value<Output: Decodable>(
    of request: some RequestConvertible, as type: Output.Type
  ) async throws(NetworkError) -> Output {
    try await sendDecodingHere(request, as: type).value
  }

  /// Sends a request, which may be a string literal, and returns the value of the response, decoded on the caller's actor.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - type: The type to decode.
  /// - Returns: The value.
  /// - Throws: A ``NetworkError`` for every failure, and when the task is cancelled.
  public func value<Output: Decodable>(
    of request: Request, as type: Output.Type
  ) async throws(NetworkError) -> Output {
    try await sendDecodingHere(request, as: type).value
  }

  /// Sends a request and returns the response, with its body decoded on the caller's actor as the type of the request.
  ///
  /// - Parameter request: The request; see ``RequestConvertible/returning(_:)``.
  /// - Returns: The response.
  /// - Throws: A ``NetworkError`` for every failure, and when the task is cancelled.
  public func send<Output: Decodable>(
    _ request: some RequestConvertible<Output>
  ) async throws(NetworkError) -> Response<Output> {
    try await sendDecodingHere(request, as: Output.self)
  }

  /// Sends a request and returns the response's value, decoded as the request's result type on the caller's actor.
  ///
  /// - Parameter request: The request; see ``RequestConvertible/returning(_:)``.
  /// - Returns: The value.
  /// - Throws: A ``NetworkError`` for every failure, and when the task is cancelled.
  public func value<Output: Decodable>(
    of request: some RequestConvertible<Output>
  ) async throws(NetworkError) -> Output {
    try await sendDecodingHere(request, as: Output.self).value
  }

  /// Sends a request and decodes the response on the caller's actor, once it is accepted.
  private func sendDecodingHere<Output: Decodable>(
    _ request: some RequestConvertible, as type: Output.Type
  ) async throws(NetworkError) -> Response<Output> {
    let name: Any.Type = type
    let judged = try await first(for: request) { $0.judged(request, for: name) }
    return try decodeHere(judged.one(as: CheckedBody.self), as: type, for: request)
  }

  /// Decodes an accepted response on the caller's actor.
  func decodeHere<Output: Decodable>(
    _ judged: Response<CheckedBody>, as type: Output.Type, for request: some RequestConvertible
  ) throws(NetworkError) -> Response<Output> {
    do throws(NetworkError) {
      return try judged.value.reader.one(type, from: judged.map { $0.body })
    } catch {
      throw scope.withAppMessage(error, for: request)
    }
  }
}

extension ClientScope {
  /// Returns the accepted response of a request, with the reader that decodes it.
  func judged(
    _ request: any RequestConvertible, for type: Any.Type, watch: RequestTraits.Watch? = nil
  ) -> RequestSource {
    interpret(request, expectsOneValue: true, watch: watch) { response, reader, observer in
      do {
        let judged = try reader.checkedOne(response)
        observer.complete(with: judged.withReadValue(CheckedBody(body: judged.value, reader: reader)))
      } catch {
        observer.fail(reader.failure(error, response, of: type))
      }
    }
  }
}
