public import Foundation
import Signals

extension NetworkClient {
  /// Sends a request and returns the response with its decoded body.
  ///
  /// ```swift
  /// let response = try await client.send("/users/1", as: User.self)
  /// print(response.value.name, response.statusCode)
  /// ```
  /// The request passes the same stages as the signal of ``enqueue(request:resultType:)-(RequestConvertible,_)``. Validation and decoding run on
  /// ``Configuration/processing``.
  /// - Parameters:
  ///   - request: The request.
  ///   - type: The type to decode. An array instead of an object is an error.
  /// - Returns: The response.
  /// - Throws: Every failure, including a 304. Cancelling the task cancels the request and throws the code
  ///   ``NetworkError/Code/cancelled``.
  @_disfavoredOverload
  public func send<Output: Decodable & Sendable>(
    _ request: some RequestConvertible, as type: Output.Type
  ) async throws(NetworkError) -> Response<Output> {
    try await first(for: request) { $0.interpret(request, expectsOneValue: true) { $1.read(type, from: $0, into: $2) } }
  }

  /// Sends a typed request and returns the response with its decoded body.
  ///
  /// - Parameter request: The request; see ``RequestConvertible/returning(_:)``.
  /// - Returns: The response.
  /// - Throws: Every failure, including a cancelled task; see ``send(_:as:)-(RequestConvertible,_)``.
  public func send<Output>(_ request: TypedRequest<Output>) async throws(NetworkError) -> Response<Output> {
    try await send(request, as: Output.self)
  }

  /// Sends a request and returns the decoded value of the response.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - type: The type to decode.
  /// - Returns: The value.
  /// - Throws: Every failure, including a cancelled task; see ``send(_:as:)-(RequestConvertible,_)``.
  @_disfavoredOverload
  public func value<Output: Decodable & Sendable>(
    of request: some RequestConvertible, as type: Output.Type
  ) async throws(NetworkError) -> Output {
    try await send(request, as: type).value
  }

  /// Sends a typed request and returns the decoded value of the response.
  ///
  /// - Parameter request: The request; see ``RequestConvertible/returning(_:)``.
  /// - Returns: The value.
  /// - Throws: Every failure, including a cancelled task; see ``send(_:as:)-(RequestConvertible,_)``.
  public func value<Output>(of request: TypedRequest<Output>) async throws(NetworkError) -> Output {
    try await send(request, as: Output.self).value
  }

  /// Sends a request and returns the response as received, whatever its status: nothing is validated or decoded.
  ///
  /// It is the async form of ``enqueue(request:)-(RequestConvertible)``. Retries by status and recoveries do not apply.
  /// - Parameter request: The request.
  /// - Returns: The response.
  /// - Throws: A `client` or `network` error; a cancelled task ``NetworkError/Code/cancelled``.
  @_disfavoredOverload
  public func response(for request: some RequestConvertible) async throws(NetworkError) -> Response<Data> {
    try await first(for: request) { $0.begin(request, expectsOneValue: true) { response, _, _ in response } }
  }

  /// Returns the one response of a signal; a cancellation has the app's own message.
  private func first<Value>(
    for request: some RequestConvertible, _ signal: (Core) -> Signal<Response<Value>, NetworkError>
  ) async throws(NetworkError) -> Response<Value> {
    do throws(NetworkError) {
      if let response = try await core.first(signal) { return response }
    } catch {
      throw error.isCancelled ? core.worded(error, for: request) : error
    }
    throw NetworkError(.network, .invalidResponse, reason: "the exchange ended without a response")
  }
}

extension Core {
  /// Returns the first value of a signal of this core, or of one that is bound to the current identity.
  ///
  /// The work of a caller on an actor starts off the actor, as building a request may encode and sign a long body, but
  /// for the identity at the time of the call. With immediate processing it starts on the actor.
  func first<Value>(
    isolation actor: isolated (any Actor)? = #isolation, _ signal: (Core) -> Signal<Value, NetworkError>
  ) async throws(NetworkError) -> Value? {
    let startsHere = actor == nil || configuration.processing is ImmediateSignalScheduler
    return try await signal(startsHere ? self : bound()).first(startingOnActor: startsHere)
  }
}
