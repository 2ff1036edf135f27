public import Foundation
import Signals

extension NetworkClient {
  /// Sends a request and returns the response with its decoded body.
  ///
  /// ```swift
  /// let response = try await client.send("/users/1", as: User.self)
  /// print(response.value.name, response.statusCode)
  /// ```
  /// The request passes the same stages as the signal of ``enqueue(request:resultType:)-(RequestConvertible,_)``. Validation
  /// and decoding run on ``Configuration/processing``.
  /// - Parameters:
  ///   - request: The request.
  ///   - type: The type to decode. A JSON array where an object is expected is an error. `Data` is the body as
  ///     received.
  /// - Returns: The response.
  /// - Throws: A ``NetworkError`` for every failure, including a 304. Cancelling the task cancels the request and
  ///   throws ``NetworkError/Code/cancelled``.
  public func send<Output: Decodable & Sendable>(
    _ request: some RequestConvertible, as type: Output.Type
  ) async throws(NetworkError) -> Response<Output> {
    try await first(for: request) { $1.read(type, from: $0, into: $2) }.one(as: type)
  }

  /// Sends a request, which may be a string literal, and returns the response with its decoded body.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - type: The type to decode.
  /// - Returns: The response.
  /// - Throws: A ``NetworkError`` for every failure, and when the task is cancelled; see `send(_:as:)`.
  public func send<Output: Decodable & Sendable>(
    _ request: Request, as type: Output.Type
  ) async throws(NetworkError) -> Response<Output> {
    try await first(for: request) { $1.read(type, from: $0, into: $2) }.one(as: type)
  }

  /// Sends a request and returns the response, with its body decoded as the request's ``RequestConvertible/Output``.
  ///
  /// Without a type, the value is the body as received. In either case the response is validated by its status, the
  /// other validators and its envelope, and retries and recoveries apply. For the raw response, use
  /// ``exchange(request:)-(RequestConvertible)``.
  /// - Parameter request: The request; see ``RequestConvertible/returning(_:)``.
  /// - Returns: The response.
  /// - Throws: A ``NetworkError`` for every failure, and when the task is cancelled; see `send(_:as:)`.
  public func send<Output: Decodable & Sendable>(
    _ request: some RequestConvertible<Output>
  ) async throws(NetworkError) -> Response<Output> {
    try await send(request, as: Output.self)
  }

  /// Sends a request, which may be a string literal, and returns the response with the body as received.
  ///
  /// - Parameter request: The request.
  /// - Returns: The validated response; see `send(_:)`.
  /// - Throws: A ``NetworkError`` for every failure, and when the task is cancelled.
  public func send(_ request: Request) async throws(NetworkError) -> Response<Data> {
    try await first(for: request) { $1.read(Data.self, from: $0, into: $2) }
  }

  /// Sends a request and returns the decoded value of the response.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - type: The type to decode.
  /// - Returns: The value.
  /// - Throws: A ``NetworkError`` for every failure, and when the task is cancelled; see `send(_:as:)`.
  public func value<Output: Decodable & Sendable>(
    of request: some RequestConvertible, as type: Output.Type
  ) async throws(NetworkError) -> Output {
    try await send(request, as: type).value
  }

  /// Sends a request, which may be a string literal, and returns the decoded value of the response.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - type: The type to decode.
  /// - Returns: The value.
  /// - Throws: A ``NetworkError`` for every failure, and when the task is cancelled; see `send(_:as:)`.
  public func value<Output: Decodable & Sendable>(
    of request: Request, as type: Output.Type
  ) async throws(NetworkError) -> Output {
    try await send(request, as: type).value
  }

  /// Sends a request and returns the value of the response, decoded as the request's ``RequestConvertible/Output``.
  ///
  /// - Parameter request: The request; see ``RequestConvertible/returning(_:)``.
  /// - Returns: The value; without a type, the body as received.
  /// - Throws: A ``NetworkError`` for every failure, and when the task is cancelled; see `send(_:as:)`.
  public func value<Output: Decodable & Sendable>(
    of request: some RequestConvertible<Output>
  ) async throws(NetworkError) -> Output {
    try await send(request, as: Output.self).value
  }

  /// Sends a request, which may be a string literal, and returns the body as received, once the response is accepted.
  ///
  /// - Parameter request: The request.
  /// - Returns: The body.
  /// - Throws: A ``NetworkError`` for every failure, and when the task is cancelled; see `send(_:as:)`.
  public func value(of request: Request) async throws(NetworkError) -> Data {
    try await send(request).value
  }

  /// Returns the one response to a request; a cancellation has the app's own message.
  private func first(
    for request: any RequestConvertible, _ read: @escaping ResponseReader.Read
  ) async throws(NetworkError) -> Response<Data> {
    let response: Response<Data>?
    do throws(NetworkError) {
      response = try await scope.first { $0.interpret(request, expectsOneValue: true, read).signal }
    } catch {
      throw scope.delivered(error, for: request)
    }
    return try current(response, for: request)
  }

  /// Returns a response; throws if there is none, or if its identity has changed.
  func current(
    _ response: Response<Data>?, for request: any RequestConvertible
  ) throws(NetworkError) -> Response<Data> {
    guard let response else {
      throw NetworkError(.invalidResponse, reason: "the transport completed without a response")
    }
    // The identity may have changed while the actor of the caller was busy.
    if let failure = response.staleFailure { throw scope.withAppMessage(failure, for: request) }
    return response
  }
}

extension Response<Data> {
  /// Returns the response with the value decoded from its body.
  func one<Result: Sendable>(as type: Result.Type) throws(NetworkError) -> Response<Result> {
    try replacing(by: typed(as: type))
  }
}
