public import Foundation
import Signals

/// A client that sends requests and delivers responses as signals or asynchronously.
///
/// ```swift
/// struct User: Decodable, Sendable { let name: String }
/// let client = NetworkClient(baseURL: URL(string: "https://api.example.com")) { $0.retry = Retry(limit: 2) }
/// let user = try await client.value(of: "/users/1", as: User.self)
/// ```
/// Every method accepts a ``Request`` or any other ``RequestConvertible``. Where an overload takes a ``Request``, a string
/// literal is a `GET`.
///
/// Every signal is cold: nothing is sent before it is subscribed to, and each subscription sends the request again;
/// ``/Signals/Signal/replayLazily()`` shares one subscription. Disposing a subscription before it terminates cancels
/// the exchange; nothing is delivered afterwards. Its connection is closed, unless other exchanges share it (HTTP/2).
/// An exchange that other requests share (``RequestOptions/isCoalesced``) goes on for them. Each signal terminates with
/// completion or one ``NetworkError``.
///
/// A signal does not retain the client: a client may be deallocated while its requests are in flight; they terminate as
/// usual.
public final class NetworkClient: Sendable {
  /// The immutable settings of the client.
  public var configuration: Configuration { scope.configuration }
  let scope: ClientScope

  /// Creates a client.
  ///
  /// - Parameter configuration: The settings. Default: see ``Configuration``.
  public init(_ configuration: Configuration = Configuration()) {
    scope = ClientScope(configuration)
    configuration.reportNotices()
  }

  /// Creates a client with a base URL.
  ///
  /// - Parameters:
  ///   - baseURL: The base URL of relative paths. With `nil`, requests need absolute URLs or services.
  ///   - configure: Changes any setting. Default: no changes; see ``Configuration``.
  public convenience init(baseURL: URL?, _ configure: (inout Configuration) -> Void = { _ in }) {
    var configuration = Configuration(baseURL: baseURL)
    configure(&configuration)
    self.init(configuration)
  }

  init(_ scope: ClientScope) { self.scope = scope }

  /// Returns a request as it would now be sent, before middleware: with its URL, header fields, body and signature.
  ///
  /// Meant for tests, logs and tools. Pure and synchronous; nothing is sent.
  /// - Parameter request: The request.
  /// - Returns: The request to send. The same input gives the same bytes, apart from the additions of a signer and an
  ///   automatic ``IdempotencyKey``.
  /// - Throws: A `client` error, such as ``NetworkError/Code/invalidURL``, or the error of a filter or the signer.
  public func httpRequest(for request: some RequestConvertible) throws(NetworkError) -> HTTPRequest {
    // Read in place: a copy of the configuration is the larger part of building a small request.
    try scope.parts.configuration.builder.build(request, json: scope.parts.configuration.json)
  }

  /// Returns a request, which may be a string literal, as it would be sent now.
  ///
  /// See ``httpRequest(for:)-(RequestConvertible)``.
  public func httpRequest(for request: Request) throws(NetworkError) -> HTTPRequest {
    try scope.parts.configuration.builder.build(request, json: scope.parts.configuration.json)
  }

  /// Removes all cookies of the signed-in account, or of the client if it has no accounts, in every environment.
  ///
  /// Requests in flight may set cookies afterwards. Signing out or changing the account does more: see
  /// ``Configuration/account``.
  public func clearCookies() { scope.parts.clearCookies() }
}

extension NetworkClient: CustomStringConvertible {
  /// The client with its base URL, on one line.
  public var description: String { "NetworkClient(\(configuration.baseURL.map { $0.redacted } ?? "no base URL"))" }
}
