public import Foundation
public import Signals

/// Sends requests and gives what comes back as signals.
///
/// ```swift
/// struct User: Decodable, Sendable { let name: String }
/// let client = NetworkClient(.init(baseURL: URL(string: "https://api.example.com")))
/// let user = client.enqueue(request: Request(.get, "/users/1"), resultType: User.self)
/// ```
/// Every signal is cold: nothing is sent before it is subscribed to, and each subscription sends the request anew;
/// ``/Signals/Signal/replayLazily()`` shares one. Disposing a subscription before its end cancels the exchange and closes its
/// connection; nothing is delivered afterwards. Each signal ends with a completion or one ``NetworkError``.
///
/// A signal keeps what it needs, not the client: a client may be deallocated while its requests are in flight, and they terminate
/// as usual.
public final class NetworkClient: Sendable {
  /// How the client works.
  ///
  /// It does not change.
  public var configuration: Configuration { core.configuration }
  let core: Core

  /// A client of the usual configuration, for all of an app: its services are those of ``ServiceRegistry/shared``.
  public static let shared = NetworkClient(Configuration())

  /// Creates a client.
  ///
  /// - Parameter configuration: The settings. Default: see ``Configuration``.
  public init(_ configuration: Configuration = Configuration()) {
    core = Core(configuration)
    configuration.introduce()
  }

  /// Creates a client of a base URL.
  ///
  /// ```swift
  /// let client = NetworkClient(baseURL: url) { $0.retry = Retry(limit: 2) }
  /// ```
  /// - Parameters:
  ///   - baseURL: The URL that relative paths are below. With `nil`, requests need absolute URLs or services.
  ///   - configure: Changes the settings. Default: nothing.
  public convenience init(baseURL: URL?, _ configure: (inout Configuration) -> Void = { _ in }) {
    var configuration = Configuration(baseURL: baseURL)
    configure(&configuration)
    self.init(configuration)
  }

  /// Makes a client of a core that is there.
  init(_ core: Core) { self.core = core }

  /// Returns a request as it would be sent now, before middleware: with its URL, header fields, body and signature.
  ///
  /// For tests, logs and other tools; nothing is sent. It is pure and synchronous.
  /// - Parameter request: The request.
  /// - Returns: The request for the wire. The same input gives the same bytes, apart from additions of a signer and an
  ///   automatic ``IdempotencyKey``.
  /// - Throws: A `client` error, such as ``NetworkError/Code/invalidURL``, or the error of a filter or the signer.
  @_disfavoredOverload
  public func httpRequest(for request: some RequestConvertible) throws(NetworkError) -> HTTPRequest {
    try configuration.builder.build(request, json: configuration.json)
  }

  /// Removes all cookies of the signed-in account, or of the client if it has no accounts, in every environment.
  ///
  /// Requests in flight may set cookies afterwards. Signing out and signing in as somebody else do more: see
  /// ``Configuration/account``.
  public func clearCookies() { core.clearCookies() }

  /// Sends a request and decodes what comes back.
  ///
  /// Validation and decoding run on ``Configuration/processing``, and that is where events are delivered;
  /// ``/Signals/Signal/subscribeOnMain(onValue:onFailure:onCompletion:)`` brings them to a view model.
  /// - Parameters:
  ///   - request: what to send.
  ///   - resultType: what to decode. An object type on a JSON array gives one response for each element, in order, up to
  ///     the first bad one; an array type gives one response.
  /// - Returns: the signal. A 304 completes it without a value.
  @_disfavoredOverload
  public func enqueue<Result: Decodable & Sendable>(
    request: some RequestConvertible, resultType: Result.Type
  ) -> Signal<Response<Result>, NetworkError> {
    core.interpret(request) { $1.read(resultType, from: $0, into: $2) }
  }

  /// Sends a request and decodes the response as the request states.
  ///
  /// - Parameter request: The request; see ``RequestConvertible/returning(_:)``.
  /// - Returns: The signal; see ``enqueue(request:resultType:)``.
  public func enqueue<Output>(_ request: TypedRequest<Output>) -> Signal<Response<Output>, NetworkError> {
    enqueue(request: request, resultType: Output.self)
  }

  /// Sends a request and gives the response as it came, whatever its status: nothing is interpreted.
  ///
  /// Events are delivered on the transport's thread: take what is there and leave it soon, or use `observe(on:)`.
  /// - Parameter request: what to send.
  /// - Returns: the signal.
  @_disfavoredOverload
  public func enqueue(request: some RequestConvertible) -> Signal<Response<Data>, NetworkError> {
    core.begin(request) { response, _, _ in response }
  }

  /// Sends a request and transforms the response yourself, once it has been validated.
  ///
  /// - Parameters:
  ///   - request: what to send.
  ///   - transform: makes the result, on ``Configuration/processing``. A ``NetworkError`` that it throws passes; any other
  ///     becomes a `processing` error with the code ``NetworkError/Code/transformFailed``.
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
