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
  public var metrics: Metrics? { details.contents?.metrics }
  /// The code that the answer's envelope states, as it is written there; `nil` if there is none.
  public var resultCode: String? { details.contents?.resultCode }
  /// The text that the answer's envelope states; `nil` if there is none.
  public var resultMessage: String? { details.contents?.resultMessage }
  /// What lenient decoding has left out or replaced, where there was something; see `Lossy` and `Defaulted`.
  public var decodeReport: DecodeReport? { details.contents?.decodeReport }
  /// The request as it was sent, after middleware and without redirects; `nil` for a response that a client did not receive.
  public var request: HTTPRequest? { details.contents?.request }
  /// Whether it is a 304 that the request did not ask for.
  var isUnasked: Bool { details.contents?.isUnasked ?? false }
  private let details: ResponseDetails

  /// Makes a response.
  ///
  /// - Parameters:
  ///   - value: what it holds.
  ///   - head: its head.
  ///   - metrics: what the exchange cost. Default: not known.
  public init(value: Value, head: HTTPResponse, metrics: Metrics? = nil) {
    self.value = value
    self.head = head
    details = metrics.map { .some(ResponseDetails.Contents(metrics: $0)) } ?? .none
  }

  init(_ value: Value, _ head: HTTPResponse, _ details: ResponseDetails) {
    self.value = value
    self.head = head
    self.details = details
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
    Response<Output>(value, head, details)
  }

  /// The same response with more known of it.
  func detailed(_ change: (inout ResponseDetails.Contents) -> Void) -> Response {
    var contents = details.contents ?? ResponseDetails.Contents()
    change(&contents)
    return Response(value, head, .some(contents))
  }
}

extension Response<Data> {
  /// The response with no more than 64 KiB of its body, apart from the rest, which can be freed.
  var beginning: Response {
    let limit = 65_536
    return value.count <= limit ? self : replacing(value.prefix(limit).withUnsafeBytes { Data($0) })
  }
}

/// What is known of a response besides its value and head: one word, as responses are handed on often.
enum ResponseDetails: Sendable {
  struct Contents: Sendable {
    var metrics: Metrics?
    var request: HTTPRequest?
    var resultCode: String?
    var resultMessage: String?
    var decodeReport: DecodeReport?
    /// Whether it is a 304 to a request that had no condition.
    var isUnasked = false
  }

  case none
  indirect case some(Contents)

  var contents: Contents? { if case .some(let contents) = self { contents } else { nil } }
}

extension Response: Equatable where Value: Equatable {
  /// Whether value and head are equal; what else is known of it does not count.
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

extension Response: CustomStringConvertible, CustomDebugStringConvertible {
  /// Type, status, redacted URL and duration on one line; without the value, which may be secret.
  public var description: String {
    let time = metrics.map { " in \($0.endedAt.milliseconds) ms" } ?? ""
    return "Response<\(Value.self)> \(head)\(time)"
  }
  /// The same as ``description``.
  public var debugDescription: String { description }
}
