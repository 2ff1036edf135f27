public import Foundation

/// A value together with the HTTP response that it came in.
///
/// Elements of one JSON array share the metadata of the response that held them all.
public struct Response<Value: Sendable>: Sendable {
  /// What the response holds.
  public let value: Value
  /// The head of the response.
  public let head: HTTPResponse
  /// What the exchange cost; `nil` if the transport does not say, or has not ended yet.
  public var metrics: Metrics? { kept.metrics }
  private let kept: KeptMetrics

  /// Makes a response.
  ///
  /// - Parameters:
  ///   - value: what it holds.
  ///   - head: its head.
  ///   - metrics: what the exchange cost. Default: not known.
  public init(value: Value, head: HTTPResponse, metrics: Metrics? = nil) {
    self.value = value
    self.head = head
    kept = KeptMetrics(metrics)
  }

  fileprivate init(_ value: Value, _ head: HTTPResponse, _ kept: KeptMetrics) {
    self.value = value
    self.head = head
    self.kept = kept
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
    replacing(try transform(value))
  }

  /// The same response with another value.
  func replacing<Output: Sendable>(_ value: Output) -> Response<Output> {
    Response<Output>(value, head, kept)
  }
}

extension Response: Equatable where Value: Equatable {
  /// Whether value and head are equal; what the exchange cost does not count.
  public static func == (left: Response, right: Response) -> Bool {
    left.value == right.value && left.head == right.head
  }
}

extension Response: Hashable where Value: Hashable {
  /// Hashes value and head.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(value)
    hasher.combine(head)
  }
}
