public import Foundation
public import Signals

/// A client that sends requests and delivers responses as signals or asynchronously.
///
/// ```swift
/// struct User: Decodable, Sendable { let name: String }
/// let client = NetworkClient(.init(baseURL: URL(string: "https://api.example.com")))
/// let user = client.enqueue(request: Request(.get, "/users/1"), resultType: User.self)
/// ```
/// Every signal is cold: nothing is sent before it is subscribed to, and each subscription sends the request again;
/// ``/Signals/Signal/replayLazily()`` shares one. Disposing a subscription before it terminates cancels the exchange and
/// closes its connection; nothing is delivered afterwards. Each signal terminates with completion or one
/// ``NetworkError``.
///
/// A signal retains what it needs, not the client: a client may be deallocated while its requests are in flight, and they
/// terminate as usual.
public final class NetworkClient: Sendable {
  /// The immutable settings of the client.
  public var configuration: Configuration { core.configuration }
  let core: Core

  /// The shared client with the default configuration; its services are those of ``ServiceRegistry/shared``.
  public static let shared = NetworkClient(Configuration())

  /// Creates a client.
  ///
  /// - Parameter configuration: The settings. Default: see ``Configuration``.
  public init(_ configuration: Configuration = Configuration()) {
    core = Core(configuration)
    configuration.introduce()
  }

  /// Creates a client with an existing core.
  init(_ core: Core) { self.core = core }

  /// Returns a request as it would be sent now, before middleware: with its URL, header fields, body and signature.
  ///
  /// It is meant for tests, logs and tools. It is pure and synchronous; nothing is sent.
  /// - Parameter request: The request.
  /// - Returns: The request to send. The same input gives the same bytes, apart from additions of a signer and an
  ///   automatic ``IdempotencyKey``.
  /// - Throws: A `client` error, such as ``NetworkError/Code/invalidURL``, or the error of a filter or the signer.
  @_disfavoredOverload
  public func httpRequest(for request: some RequestConvertible) throws(NetworkError) -> HTTPRequest {
    try configuration.builder.build(request, json: configuration.json)
  }

  /// Removes all cookies of the signed-in account, or of the client if it has no accounts, in every environment.
  ///
  /// Requests in flight may set cookies afterwards. Signing out or changing the account does more: see
  /// ``Configuration/account``.
  public func clearCookies() { core.clearCookies() }

  /// Sends a request and decodes the response.
  ///
  /// Validation and decoding run on ``Configuration/processing``. Events are delivered there;
  /// ``/Signals/Signal/subscribeOnMain(onValue:onFailure:onCompletion:)`` delivers them to a view model.
  /// - Parameters:
  ///   - request: the request.
  ///   - resultType: the type to decode. An object type for a JSON array delivers one response per element, in order, up
  ///     to the first invalid element; an array type delivers one response.
  /// - Returns: the signal. A 304 completes it without a value.
  @_disfavoredOverload
  public func enqueue<Result: Decodable & Sendable>(
    request: some RequestConvertible, resultType: Result.Type
  ) -> Signal<Response<Result>, NetworkError> {
    core.interpret(request) { $1.read(resultType, from: $0, into: $2) }
  }

  /// Sends a typed request and decodes the response.
  ///
  /// - Parameter request: The request; see ``RequestConvertible/returning(_:)``.
  /// - Returns: The signal; see ``enqueue(request:resultType:)-(RequestConvertible,_)``.
  public func enqueue<Output>(_ request: TypedRequest<Output>) -> Signal<Response<Output>, NetworkError> {
    enqueue(request: request, resultType: Output.self)
  }

  /// Sends a request and delivers the response as received, whatever its status, without validation.
  ///
  /// Events are delivered on the transport's thread: do not block it, or use `observe(on:)`.
  /// - Parameter request: the request.
  /// - Returns: the signal.
  @_disfavoredOverload
  public func enqueue(request: some RequestConvertible) -> Signal<Response<Data>, NetworkError> {
    core.begin(request) { response, _, _ in response }
  }

  /// Sends a request and transforms the validated response with a closure.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - transform: creates the result, on ``Configuration/processing``. A ``NetworkError`` that it throws is delivered
  ///     unchanged; any other error becomes a `processing` error with the code ``NetworkError/Code/transformFailed``.
  /// - Returns: the signal. A 304 completes it without a value.
  @_disfavoredOverload
  public func enqueue<Result: Sendable>(
    request: some RequestConvertible, transform: @escaping @Sendable (Response<Data>) throws -> Result
  ) -> Signal<Response<Result>, NetworkError> {
    core.interpret(request) { response, reader, observer in
      do throws(NetworkError) {
        observer.complete(with: try reader.transform(response, transform))
      } catch {
        observer.fail(error)
      }
    }
  }
}
