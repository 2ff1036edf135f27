public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A value that a client can send: a ``Request``, a `URL`, a `URLRequest`, an ``Endpoint`` or a type of your own.
public protocol RequestConvertible: Sendable {
  /// Returns the request.
  ///
  /// - Throws: a `client` error if there is none.
  func asRequest() throws(NetworkError) -> Request
}

extension URL: RequestConvertible {
  /// Returns a `GET` of this URL.
  public func asRequest() -> Request { Request(.get, RequestPath(absoluteString)) }
}

extension String: RequestConvertible {
  /// Returns a `GET` of this path or URL, which is taken as written; a literal that is passed to a client is a ``RequestPath``.
  public func asRequest() -> Request { Request(.get, RequestPath(self)) }
}

extension RequestPath: RequestConvertible {
  /// Returns a `GET` of this path.
  public func asRequest() -> Request { Request(.get, self) }
}

extension URLRequest: RequestConvertible {
  /// The same request, so that an app can move over one call at a time.
  ///
  /// Its address, method, header fields, body in memory and time-out count, the last if it is more than zero and less than
  /// 30 years; what it says of caches, cookies and networks does not. Header fields are sent in the order of their names.
  /// - Returns: the request.
  /// - Throws: a `client` error if it has no address, or its body is an `InputStream`.
  public func asRequest() throws(NetworkError) -> Request {
    guard let url else { throw NetworkError(.client, .invalidURL, reason: "the URLRequest has no address") }
    guard httpBodyStream == nil else {
      throw NetworkError(.client, .invalidBody, reason: "the URLRequest's body is a stream that can be read only once")
    }
    let fields = (allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
    let isTyped = fields.contains { $0.key.isEqualIgnoringCase(to: "Content-Type") }
    return Request(
      HTTPMethod(rawValue: httpMethod ?? "GET"), RequestPath(url.absoluteString),
      headers: HTTPHeaders(fields.map { HTTPHeaders.Field(name: $0.key, value: $0.value) }),
      body: httpBody.map { .data($0, contentType: isTyped ? "" : "application/octet-stream") } ?? .empty,
      idleTimeout: usableTimeout)
  }

  /// `Duration` ends the process with what is not finite, or too long for it.
  private var usableTimeout: Duration? {
    timeoutInterval > 0 && timeoutInterval < 1e9 ? .seconds(timeoutInterval) : nil
  }
}
