import Heliograph
import Signals

/// A monitor that keeps what it is told.
package final class MonitorLog: Monitor {
  private let state = Guarded<[MonitorEvent]>([])

  /// The number of requests that have ended.
  package let endedCount = CurrentValue(0)

  package init() {}

  package func observe(_ event: MonitorEvent) {
    state.withLock { $0.append(event) }
    if case .ended = event { endedCount.modify { $0 += 1 } }
  }

  package var events: [MonitorEvent] { state.withLock { $0 } }
  /// The events by name, with the number of the attempt where there is one.
  package var names: [String] { events.map(\.name) }
  package var attempts: [RequestReport] {
    events.compactMap { if case .attemptEnded(let report) = $0 { report } else { nil } }
  }
  package var requests: [RequestReport] {
    events.compactMap { if case .ended(let report) = $0 { report } else { nil } }
  }
  package var sent: [HTTPRequest] { events.compactMap { if case .sent(let request) = $0 { request } else { nil } } }
  package var startedIDs: [RequestID] { events.compactMap { if case .started(let id, _) = $0 { id } else { nil } } }
}

extension MonitorEvent {
  package var name: String {
    switch self {
    case .started: "started"
    case .sent(let request): "sent \(request.attempt)"
    case .redirected(let request, let head, _): "redirected \(request.attempt) \(head.statusCode)"
    case .responded(let request, let head): "responded \(request.attempt) \(head.statusCode)"
    case .received(let request, let response): "received \(request.attempt) \(response.value.count)"
    case .delivered(let request, let head): "delivered \(request.attempt) \(head.statusCode)"
    case .attemptEnded(let report): "attempt \(report.attempt) \(report.outcome.name)"
    case .ended(let report): "\(report.outcome.name) after \(report.attempt)"
    case .cache(_, let event): "\(event)"
    case .waiting(let request): "waiting \(request.attempt)"
    case .notice: "notice"
    }
  }

  /// The request that it is about.
  package var id: RequestID? {
    switch self {
    case .started(let id, _): id
    case .sent(let request), .responded(let request, _), .received(let request, _), .delivered(let request, _):
      request.id
    case .cache(let request, _), .redirected(let request, _, _), .waiting(let request): request.id
    case .attemptEnded(let report), .ended(let report): report.id
    case .notice: nil
    }
  }
}

extension RequestReport.Outcome {
  package var name: String {
    switch self {
    case .success: "succeeded"
    case .failure: "failed"
    case .cancelled: "cancelled"
    }
  }
}
