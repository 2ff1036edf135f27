public import Foundation

/// A value together with the HTTP response that contained it.
///
/// The elements of one JSON array share the metadata of their response.
public struct Response<Value> {
  /// The content of the response.
  public let value: Value
  /// The status code, header fields and final URL.
  public let head: HTTPResponse
  /// The metrics of the exchange; `nil` if the transport does not report them or has not finished.
  ///
  /// A stored response that replaces a failure has the failed attempts, and nothing else if it has none of its own.
  public var metrics: Metrics? { details?.value.metrics }
  /// The code in the envelope, as written; `nil` if there is none.
  public var resultCode: String? { details?.value.resultCode }
  /// The message in the envelope; `nil` if there is none.
  public var resultMessage: String? { details?.value.resultMessage }
  /// The values omitted or replaced by lenient decoding, if any; see `Lossy` and `Defaulted`.
  public var decodeReport: DecodeReport? { details?.value.decodeReport }
  /// The request as sent, after middleware and before redirects; `nil` for a response not received by a client.
  ///
  /// The response retains the request with its body: after a large upload, store only the ``value``.
  public var request: HTTPRequest? { details?.value.request }
  /// The source of the response, such as the network or the cache.
  public var source: ResponseSource { details?.value.source ?? .network }
  /// Whether it is the second value of ``CachePolicy/cacheThenNetwork`` and has the same body as the first.
  public var isUnchanged: Bool { details?.value.isUnchanged ?? false }
  /// Whether another response follows: it is the first value of ``CachePolicy/cacheThenNetwork``.
  public var isPreliminary: Bool { details?.value.isPreliminary ?? false }
  var isUnexpected304: Bool { details?.value.isUnexpected304 ?? false }
  var isCut: Bool { details?.value.isCut ?? false }
  /// The decisions of the run; `nil` if no monitor observes it.
  var history: RunHistory? { details?.value.receipt?.historyUntilDelivery }
  @usableFromInline let details: CopyOnWrite<ResponseDetails>?
  /// The value that a reader has decoded from the body, within a run.
  @usableFromInline let read: (any AnyObject & Sendable)?

  /// Creates a response.
  ///
  /// - Parameters:
  ///   - value: The content.
  ///   - head: The head.
  ///   - metrics: The metrics of the exchange. Default: unknown.
  public init(value: Value, head: HTTPResponse, metrics: Metrics? = nil) {
    self.value = value
    self.head = head
    details = metrics.map { CopyOnWrite(ResponseDetails(metrics: $0)) }
    read = nil
  }

  @inlinable
  init(
    _ value: Value, _ head: HTTPResponse, _ details: CopyOnWrite<ResponseDetails>?,
    read: (any AnyObject & Sendable)? = nil
  ) {
    self.value = value
    self.head = head
    self.details = details
    self.read = read
  }

  /// The status code, such as 200.
  public var statusCode: Int { head.statusCode }
  /// The header fields; names are case-insensitive.
  public var headers: HTTPHeaders { head.headers }
  /// The URL of the response: after redirects, the last one.
  public var url: URL { head.url }
  /// The entity tag, for `If-None-Match` (RFC 9110 §8.8.3).
  ///
  /// For `If-Match`, read with `Accept-Encoding: identity`: the tag of a compressed response, such as `W/"1"` or
  /// `"1-gzip"`, may match nothing.
  public var etag: String? { headers["ETag"] }

  /// Returns the response with a transformed value.
  ///
  /// - Parameter transform: Creates the value.
  /// - Returns: The response.
  /// - Throws: The error of the transform.
  public func map<Output, Problem: Error>(
    _ transform: (Value) throws(Problem) -> Output
  ) throws(Problem) -> Response<Output> {
    replacing(try transform(value))
  }

  @inlinable
  func replacing<Output>(_ value: Output) -> Response<Output> {
    Response<Output>(value, head, details)
  }

  func updatingDetails(_ update: (inout ResponseDetails) -> Void) -> Response {
    var details = self.details ?? CopyOnWrite(ResponseDetails())
    update(&details.value)
    return Response(value, head, details, read: read)
  }
}

extension Response: Sendable where Value: Sendable {}

extension Response<Data> {
  /// Returns the response with at most `limit` bytes of its body, copied so that the rest can be freed.
  func truncated(to limit: Int) -> Response {
    value.count <= limit ? self : replacing(value.prefix(limit).withUnsafeBytes { Data($0) })
  }
}

/// The details of a response besides value and head: in a box, because responses are copied often.
@usableFromInline
struct ResponseDetails: Sendable {
  var metrics: Metrics?
  var request: HTTPRequest?
  var resultCode: String?
  var resultMessage: String?
  var decodeReport: DecodeReport?
  /// Whether this is a 304 to an unconditional request.
  var isUnexpected304 = false
  /// Whether the body is only the beginning of an error's.
  var isCut = false
  var source = ResponseSource.network
  var isUnchanged = false
  var isPreliminary = false
  /// The receipt of the response in the log of its run; `nil` if no monitor observes it.
  var receipt: RunLog.Position?
}

extension Response: Equatable where Value: Equatable {
  /// Returns whether value and head are equal; the other details are ignored.
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

extension Response: _Summarized {
  /// Type, status, redacted URL and duration on one line; without the value, which may be secret.
  public var description: String {
    let time = metrics.map { " in \($0.endedAt.inMilliseconds)" } ?? ""
    return "Response<\(Value.self)> \(head)\(time)"
  }
  /// Head, metrics and source, without the value; to dump the value, dump ``value``.
  public var customMirror: Mirror {
    Mirror(self, children: ["head": head, "metrics": metrics as Any, "source": source], displayStyle: .struct)
  }
}

/// The source of a response: the network, the cache or the exchange of another request.
public enum ResponseSource: Sendable, Hashable {
  /// The server.
  case network
  /// The cache alone; `age` is the age of the stored response.
  case cache(age: Duration)
  /// The cache, after the server has confirmed with a 304 that the stored response is current.
  case revalidated
  /// The exchange of an identical request in flight.
  case shared

  /// Whether the response was delivered from the cache, without confirmation by the server.
  public var isCached: Bool { if case .cache = self { true } else { false } }
}

extension ResponseSource: CustomStringConvertible {
  /// The source as text for logs.
  public var description: String {
    switch self {
    case .network: "network"
    case .cache(let age): "cache, \(age.components.seconds) s old"
    case .revalidated: "cache, revalidated"
    case .shared: "shared exchange"
    }
  }
}
