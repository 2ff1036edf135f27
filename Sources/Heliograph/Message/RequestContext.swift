/// The values that all attempts of one subscription share, apart from the number of the attempt.
///
/// A request carries them to the transport.
package struct RequestContext: Sendable {
  package let id: RequestID
  /// The number of the attempt; the first one is 1.
  package var attempt = 1
  /// The deadline of all attempts together; `nil` without a total timeout.
  package var deadline: Deadline?
  package var idempotencyKey: String?
  /// The context of cache keys; `nil` for a safe request without a cache policy.
  package var cache: CacheContext?
  /// The request before signing, used to compare requests for coalescing; `nil` if it is not signed.
  package var unsigned: HTTPRequest?
  /// The app's header fields before signing; `nil` if the request is not signed.
  package var unsignedFields: HTTPHeaders?
  /// Whether the body of a successful response is delivered in pieces.
  package var isStreamed = false
  /// Whether monitors observe the request, so that its ``provenance`` is recorded.
  var isObserved = false
  /// The sources of URL and header fields; `nil` if no monitor observes the request.
  var provenance: CopyOnWrite<RequestProvenance>?
  var binding = RequestBinding()

  @inline(__always)
  package init(id: RequestID = .next(), deadline: Deadline? = nil, idempotencyKey: String? = nil) {
    self.id = id
    self.deadline = deadline
    self.idempotencyKey = idempotencyKey
  }
}
