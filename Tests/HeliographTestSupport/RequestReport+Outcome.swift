@testable import Heliograph

extension RequestReport {
  /// The report of an attempt whose decisions are unknown.
  package init(
    id: RequestID, attempt: Int, request: HTTPRequest?, wasSent: Bool, response: HTTPResponse?, bodyByteCount: Int,
    duration: Duration, metrics: Metrics?, outcome: Outcome
  ) {
    self.init(
      Contents(
        id: id, attempt: attempt, request: request, wasSent: wasSent, response: response, bodyByteCount: bodyByteCount,
        duration: duration, details: metrics.map { CopyOnWrite(ResponseDetails(metrics: $0)) }, outcome: outcome,
        position: nil))
  }
}
