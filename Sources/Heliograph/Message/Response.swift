public import Foundation

/// A value together with the HTTP response that it came in.
///
/// Elements of one JSON array share the metadata of the response that held them all.
public struct Response<Value: Sendable>: Sendable {
  /// What the response holds.
  public let value: Value
  /// The head of the response.
  public let head: HTTPResponse

  /// Makes a response.
  public init(value: Value, head: HTTPResponse) {
    self.value = value
    self.head = head
  }

  /// The status code, such as 200.
  public var statusCode: Int { head.statusCode }
  /// The header fields; names are compared without regard to case.
  public var headers: HTTPHeaders { head.headers }
  /// The address that answered: after redirects, the last one.
  public var url: URL { head.url }
  /// The entity tag, for `If-None-Match`.
  ///
  /// RFC 9110 §8.8.3.
  public var etag: String? { headers["ETag"] }

  /// The same response with another value.
  ///
  /// - Parameter transform: makes the value.
  /// - Returns: the response.
  /// - Throws: what the transform throws.
  public func map<Output: Sendable, Problem: Error>(
    _ transform: (Value) throws(Problem) -> Output
  ) throws(Problem) -> Response<Output> {
    Response<Output>(value: try transform(value), head: head)
  }
}

extension Response: Equatable where Value: Equatable {}
extension Response: Hashable where Value: Hashable {}
