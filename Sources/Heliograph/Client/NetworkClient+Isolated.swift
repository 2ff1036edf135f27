import Foundation
import Signals

/// Async methods for types whose conformance to `Decodable` is isolated to an actor, such as all types in a module with
/// the default isolation `MainActor`.
///
/// The body is decoded on the caller's actor, which a large body blocks: mark the type `nonisolated` to decode it on
/// ``Configuration/processing``. With an envelope, the body is decoded twice, first by the envelope alone. The request
/// waits for the result, before its response is stored; a refresh of a stored response in the background does not. The
/// wait for the actor counts towards the total timeout.
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
  /// Parameters and errors are those of `send(_:as:)`.
  public func send<Output: Decodable>(
    _ request: Request, as type: Output.Type
  ) async throws(NetworkError) -> Response<Output> {
    try await sendDecodingHere(request, as: type)
  }

  /// Sends a request and returns the value of the response, decoded on the caller's actor.
  ///
  /// Parameters and errors are those of `send(_:as:)`.
  public func value<Output: Decodable>(
    of request: some RequestConvertible, as type: Output.Type
  ) async throws(NetworkError) -> Output {
    try await sendDecodingHere(request, as: type).value
  }

  /// Sends a request, which may be a string literal, and returns the value of the response, decoded on the caller's actor.
  ///
  /// Parameters and errors are those of `send(_:as:)`.
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

  /// Sends a request whose response is decoded on the caller's actor, once it is accepted.
  private func sendDecodingHere<Output: Decodable>(
    _ request: some RequestConvertible, as type: Output.Type
  ) async throws(NetworkError) -> Response<Output> {
    let name: Any.Type = type
    var decoded: Response<Output>?
    var response: Response<Data>?
    let steps = await scope.values { scope in
      // The request ends before its value is returned, as that of every other type.
      CallersStep.signal { scope.decodedByCaller(request, for: name, asking: $0).signal.take(1) }
    }
    do throws(NetworkError) {
      while response == nil, let step = try await steps.next() {
        switch step {
        case .decode(let body): decoded = body.decoded(as: type)
        case .event(let event): response = event
        }
      }
    } catch {
      throw scope.delivered(error, for: request)
    }
    return try current(response, for: request).replacing(by: decoded)
  }
}

/// A step of a request that the caller of an async method performs.
enum CallersStep<Value: Sendable>: Sendable {
  /// A body to decode on the caller's actor, for which the request waits.
  case decode(CheckedBody)
  case event(Value)

  /// Returns the events of a signal, and before them the bodies to decode.
  static func signal(
    _ make: @escaping @Sendable (@escaping @Sendable (CheckedBody) -> Void) -> Signal<Value, NetworkError>
  ) -> Signal<CallersStep, NetworkError> {
    Signal { observer in
      make { observer.send(.decode($0)) }.map { .event($0) }.subscribe(for: observer) { observer.send($0) }
    }
  }
}

extension ClientScope {
  /// Returns the signal of a request whose caller decodes the accepted bodies, each for one result.
  ///
  /// The caller's decision precedes that about storing, as that of every other reader. A background refresh has no
  /// caller: its response is stored once it is accepted, and removed at its first use if it cannot be decoded.
  func decodedByCaller(
    _ request: any RequestConvertible, for type: Any.Type, watch: RequestTraits.Watch? = nil,
    asking caller: @escaping @Sendable (CheckedBody) -> Void
  ) -> RequestSource {
    let id = RequestID.next()
    return interpret(request, id: id, expectsOneValue: true, watch: watch) { [parts] response, reader, observer in
      do {
        let checked = try reader.checked(response, isOne: true)
        if reader.request?.id != id { return observer.complete(with: checked) }
        // On the scheduler of the client, because the response is stored on the thread that delivers the result.
        caller(CheckedBody(response: checked, reader: reader, observer: observer, scheduler: parts.processing))
      } catch {
        observer.fail(reader.failure(error, response, of: type))
      }
    }
  }
}
