@testable import Heliograph

extension RequestReport {
  /// The report of an attempt whose decisions are unknown.
  package init(
    id: RequestID, attempt: Int, request: HTTPRequest?, wasSent: Bool, response: HTTPResponse?, bodyByteCount: Int,
    duration: Duration, metrics: Metrics?, outcome: Outcome
  ) {
    var facts = Facts(request: request)
    (facts.wasSent, facts.response, facts.bodyByteCount) = (wasSent, response, bodyByteCount)
    facts.details = metrics.map { CopyOnWrite(ResponseDetails(metrics: $0)) }
    self.init(
      id: id, attempt: attempt, duration: duration, outcome: outcome, facts: CopyOnWrite(facts), position: nil)
  }
}
