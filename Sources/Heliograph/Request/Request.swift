public import Foundation

/// What a caller wants: a method, a place, and what to send there.
///
/// All that is not said has a default.
///
/// ```swift
/// let search = Request(.get, "/products", query: ["q": "lamp"])
/// ```
/// It is a value without behaviour; ``RequestBuilder`` makes it into an ``HTTPRequest``.
public struct Request: Sendable, RequestConvertible {
  /// The method.
  public var method: HTTPMethod
  /// A path below the client's base address, or an absolute address.
  ///
  /// It may have a query of its own.
  public var path: String
  /// What is added to the query, in this order.
  public var query: [URLQueryItem]
  /// Header fields; they replace the client's own of the same name.
  public var headers: HTTPHeaders
  /// The body.
  public var body: RequestBody
  /// How long the exchange may be silent before it fails; `nil` means what the client says.
  public var timeout: Duration?

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - method: the method. Default: `GET`.
  ///   - path: a path below the client's base address, or an absolute address.
  ///   - query: what is added to the query. Default: nothing.
  ///   - headers: header fields. Default: the client's.
  ///   - body: the body. Default: none.
  ///   - timeout: how long the exchange may be silent. Default: what the client says.
  public init(
    _ method: HTTPMethod = .get, _ path: String, query: KeyValuePairs<String, String> = [:],
    headers: HTTPHeaders = [:], body: RequestBody = .empty, timeout: Duration? = nil
  ) {
    self.method = method
    self.path = path
    self.query = query.map { URLQueryItem(name: $0.key, value: $0.value) }
    self.headers = headers
    self.body = body
    self.timeout = timeout
  }

  /// The request itself.
  public func asRequest() -> Request { self }
}

/// What can be enqueued: a ``Request``, or a type of yours that says which one it means.
public protocol RequestConvertible: Sendable {
  /// The request that is meant.
  ///
  /// - Throws: a `client` error if there is none.
  func asRequest() throws(NetworkError) -> Request
}

extension URL: RequestConvertible {
  /// A `GET` of this address.
  public func asRequest() -> Request { Request(.get, absoluteString) }
}

extension String: RequestConvertible {
  /// A `GET` of this path or address.
  public func asRequest() -> Request { Request(.get, self) }
}

/// What a request carries.
public enum RequestBody: Sendable {
  /// Nothing.
  case empty
  /// A value, encoded as JSON with `Content-Type: application/json`.
  case json(any Encodable & Sendable)
  /// Bytes and what they are.
  case data(Data, contentType: String)
}
