public import Foundation
public import Signals

extension NetworkClient {
  /// Sends a request and decodes the response.
  ///
  /// Validation and decoding run on ``Configuration/processing``. Events are delivered there;
  /// ``/Signals/Signal/subscribeOnMain(onValue:onFailure:onCompletion:)`` delivers them on the main actor.
  /// - Parameters:
  ///   - request: The request.
  ///   - resultType: The type to decode. For a JSON array, an object type delivers one response per element, in order,
  ///     up to the first invalid element; an array type delivers a single response. `Data` is the body as received.
  /// - Returns: The signal. A 304 to a conditional request completes it without a value.
  @inlinable
  public func enqueue<Result: Decodable & Sendable>(
    request: some RequestConvertible, resultType: Result.Type
  ) -> Signal<Response<Result>, NetworkError> {
    decoding(request, resultType).results(as: resultType)
  }

  /// Sends a request, which may be a string literal, and decodes the response.
  ///
  /// The parameters are those of ``enqueue(request:resultType:)-(RequestConvertible,_)``.
  @inlinable
  public func enqueue<Result: Decodable & Sendable>(
    request: Request, resultType: Result.Type
  ) -> Signal<Response<Result>, NetworkError> {
    decoding(request, resultType).results(as: resultType)
  }

  /// Sends a request and decodes the response as the request's ``RequestConvertible/Output``.
  ///
  /// Without a type, the value is the body as received. In either case the response is validated by its status, the
  /// other validators and its envelope, and retries and recoveries apply. For the raw response, use
  /// ``exchange(request:)-(RequestConvertible)``.
  /// - Parameter request: The request; see ``RequestConvertible/returning(_:)``.
  /// - Returns: The signal; see ``enqueue(request:resultType:)-(RequestConvertible,_)``.
  @inlinable
  public func enqueue<Output: Decodable & Sendable>(
    request: some RequestConvertible<Output>
  ) -> Signal<Response<Output>, NetworkError> {
    enqueue(request: request, resultType: Output.self)
  }

  /// Sends a request, which may be a string literal, and delivers the body as received, once the response is accepted.
  ///
  /// See `enqueue(request:)`.
  public func enqueue(request: Request) -> Signal<Response<Data>, NetworkError> {
    // The values of a run are already `Data`, so no stage converts them.
    scope.interpret(request) { $1.read(Data.self, from: $0, into: $2) }.signal
  }

  /// Sends a request and transforms the response with a closure, once it is accepted.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - transform: Creates the result, on ``Configuration/processing``. A ``NetworkError`` that it throws keeps its
  ///     code and gets the response and the request. It is a failure like any other: retries and recoveries apply, so a
  ///     `GET` is sent again after `.status(503)`. Any other error becomes a `processing` error with the code
  ///     ``NetworkError/Code/transformFailed``.
  /// - Returns: The signal. A 304 to a conditional request completes it without a value.
  @inlinable
  public func enqueue<Result: Sendable>(
    request: some RequestConvertible, transform: @escaping @Sendable (Response<Data>) throws -> Result
  ) -> Signal<Response<Result>, NetworkError> {
    transforming(request, transform).results(as: Result.self)
  }

  /// Sends a request, which may be a string literal, and transforms the response with a closure, once it is accepted.
  ///
  /// The parameters are those of ``enqueue(request:transform:)-(RequestConvertible,_)``.
  @inlinable
  public func enqueue<Result: Sendable>(
    request: Request, transform: @escaping @Sendable (Response<Data>) throws -> Result
  ) -> Signal<Response<Result>, NetworkError> {
    transforming(request, transform).results(as: Result.self)
  }

  /// Sends a request and delivers the raw response, without validation, decoding or recovery.
  ///
  /// A 500 is delivered as a value, and so is a failure reported in an envelope. Retries by status and recoveries do
  /// not apply. A failure reported in an envelope is not stored in the cache. This method is meant for proxies and
  /// tools; all others validate the response. Events are delivered on the transport's thread: do not block it, or use
  /// `observe(on:)`. A stored response is delivered on the subscriber's thread or on ``Configuration/processing``, and
  /// the total timeout on ``Configuration/scheduler``.
  /// - Parameter request: The request.
  /// - Returns: The signal. It fails with a `client` or `network` error, or with an error of the app's own middleware,
  ///   filters or signer.
  public func exchange(request: some RequestConvertible) -> Signal<Response<Data>, NetworkError> {
    RequestSource(scope, request) { $0.response }.signal
  }

  /// Sends a request, which may be a string literal, and delivers the raw response.
  ///
  /// See ``exchange(request:)-(RequestConvertible)``.
  public func exchange(request: Request) -> Signal<Response<Data>, NetworkError> {
    RequestSource(scope, request) { $0.response }.signal
  }

  /// Returns the source of a request whose response is decoded.
  @usableFromInline
  func decoding<Result: Decodable & Sendable>(
    _ request: any RequestConvertible, _ type: Result.Type
  ) -> RequestSource {
    scope.interpret(request) { $1.read(type, from: $0, into: $2) }
  }

  /// Returns the source of a request whose accepted response a closure transforms.
  @usableFromInline
  func transforming<Result: Sendable>(
    _ request: any RequestConvertible, _ transform: @escaping @Sendable (Response<Data>) throws -> Result
  ) -> RequestSource {
    scope.interpret(request) { response, reader, observer in
      do throws(NetworkError) {
        observer.complete(with: try reader.transform(response, transform))
      } catch {
        observer.fail(error)
      }
    }
  }
}
