public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

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
      HTTPMethod(rawValue: httpMethod ?? "GET"), url.absoluteString,
      headers: HTTPHeaders(fields.map { HTTPHeaders.Field(name: $0.key, value: $0.value) }),
      body: httpBody.map { .data($0, contentType: isTyped ? "" : "application/octet-stream") } ?? .empty,
      options: .with { $0.timeout = usableTimeout })
  }

  /// `Duration` ends the process with what is not finite, or too long for it.
  private var usableTimeout: Duration? {
    timeoutInterval > 0 && timeoutInterval < 1e9 ? .seconds(timeoutInterval) : nil
  }
}
