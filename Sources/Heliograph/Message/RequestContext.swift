/// What is the same for all attempts of one subscription, but for their number; a request carries it to the transport.
package struct RequestContext: Sendable {
  package let id: RequestID
  /// The number of the attempt, counted from 1.
  package var attempt = 1
  /// When all of it must have ended; `nil` without a total time-out.
  package var deadline: Deadline?
  /// What is sent as `Idempotency-Key`.
  package var idempotencyKey: String?
  /// Whom it belongs to.
  var binding = RequestBinding()

  package init(id: RequestID = .next(), deadline: Deadline? = nil, idempotencyKey: String? = nil) {
    self.id = id
    self.deadline = deadline
    self.idempotencyKey = idempotencyKey
  }
}
