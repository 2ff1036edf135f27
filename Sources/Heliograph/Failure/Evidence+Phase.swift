extension Evidence.Phase {
  /// Creates the phase reached according to the metrics; `nil` if the transport does not report it.
  init?(_ metrics: Metrics, of request: HTTPRequest?) {
    if metrics.startedAt == nil {
      self = .waiting
    } else if metrics.firstByteAt != nil {
      self = .receiving
    } else if metrics.sentAt != nil {
      self = Self.hasSentAll(metrics, of: request) ? .awaitingResponse : .sending
    } else if metrics.connectedAt != nil {
      self = .tlsHandshake
    } else if metrics.resolvedAt != nil {
      self = .connecting
    } else {
      return nil
    }
  }

  private static func hasSentAll(_ metrics: Metrics, of request: HTTPRequest?) -> Bool {
    guard metrics.sentByteCount > 0, let byteCount = request?.body.byteCount else { return false }
    // The count includes the head, which has at least one line.
    return metrics.sentByteCount > byteCount
  }

  /// The activity in this phase, for the reason of an error.
  var activity: String {
    switch self {
    case .waiting: "waiting in the queue"
    case .resolving: "resolving the host's name"
    case .connecting: "connecting"
    case .tlsHandshake: "performing the TLS handshake"
    case .sending: "sending the request"
    case .awaitingResponse: "waiting for the head of the response"
    case .receiving: "receiving the response"
    }
  }
}
