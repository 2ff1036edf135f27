public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A value that a client can send: a ``Request``, a `URL`, a `URLRequest`, an ``Endpoint``, a ``TypedRequest`` or a
/// type of your own.
public protocol RequestConvertible<Output>: Sendable {
  /// The type to which the response is decoded if the call names no type.
  ///
  /// Default: `Data`, the body as received.
  associatedtype Output = Data
  /// Returns the request.
  ///
  /// It is called for each attempt. Create identifiers and dates of the request before, such as in the initializer: with
  /// other ones in a retry, the server would take it for another order.
  /// - Throws: A `client` error if no request can be created.
  func asRequest() throws(NetworkError) -> Request
}

extension URL: RequestConvertible {
  /// Returns a `GET` request for this URL.
  public func asRequest() -> Request { Request(.get, self) }
}

extension URLRequest: RequestConvertible {
  /// Returns the request that a `URLRequest` describes, so that an app can migrate one call at a time.
  ///
  /// The URL, method, header fields, in-memory body and timeout are used; the timeout only if it is above zero, below a
  /// billion seconds and not Foundation's default of 60 seconds, so that those of the client and the service apply to a
  /// `URLRequest` that sets none. The settings for caches, cookies and networks are ignored. Header fields are sent
  /// sorted by name; a body without `Content-Type` is sent as `application/octet-stream`.
  /// - Returns: The request.
  /// - Throws: A `client` error if the `URLRequest` has no URL, or if its body is an `InputStream`.
  public func asRequest() throws(NetworkError) -> Request {
    guard let url else { throw NetworkError(.invalidURL, reason: "the URLRequest has no URL") }
    guard httpBodyStream == nil else {
      throw NetworkError(.invalidBody, reason: "the URLRequest's body is a stream that can be read only once")
    }
    let fields = (allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
    let isTyped = fields.contains { $0.key.isEqualIgnoringCase(to: "Content-Type") }
    // `Duration` traps for a timeout that is not finite or too long. Foundation does not say whether its default of 60
    // seconds was set.
    let isUsable = timeoutInterval > 0 && timeoutInterval < 1e9 && timeoutInterval != 60
    return Request(
      HTTPMethod(rawValue: httpMethod ?? "GET"), url,
      headers: HTTPHeaders(fields.map { HTTPHeaders.Field(name: $0.key, value: $0.value) }),
      body: httpBody.map { .data($0, contentType: isTyped ? "" : "application/octet-stream") } ?? .empty,
      idleTimeout: isUsable ? .seconds(timeoutInterval) : nil)
  }
}

/// An API described by an enumeration with one case per request.
///
/// ```swift
/// enum Shop: Endpoint {
///   case product(id: Int)
///   case order(Cart)
///
///   var request: Request {
///     switch self {
///     case .product(let id): "/products/\(id)"
///     case .order(let cart): Request(.post, "/orders", body: .json(cart))
///     }
///   }
/// }
/// ```
/// Only ``request`` is read. The protocol deliberately has no method and header members with defaults: a property of
/// the wrong type, such as `var headers: [String: String]?`, would compile but never be sent.
public protocol Endpoint: RequestConvertible {
  /// The request that is sent for this value; read for each attempt, see ``RequestConvertible/asRequest()``.
  var request: Request { get }
}

extension Endpoint {
  /// Returns ``request``.
  public func asRequest() -> Request { request }
}
