import Foundation
import Signals

/// The events of one subscription for the monitors, delivered in order and without overlaps.
final class RequestRecord: Sendable {
  private struct Attempt {
    var request: HTTPRequest
    let startedAt: Duration
    var wasSent = false
    var response: HTTPResponse?
    var metrics: Metrics?
    var bodyByteCount = 0
    /// The last piece of a body that is delivered in pieces.
    var piece: Response<Data>?
    /// Whether the whole response has been received.
    var isComplete = false
  }

  private struct State {
    var startedAt: Duration?
    var attempt: Attempt?
    /// The report of the previous attempt.
    var lastReport: RequestReport?
    var wasSent = false
    var hasDelivered = false
    var isTerminated = false
    /// The queue of events for the monitors.
    var events: [MonitorEvent] = []
  }

  let id: RequestID
  /// Whether successful bodies are delivered in pieces.
  let isStreamed: Bool
  private let monitors: [any Monitor]
  private let clock: any SignalScheduler
  private let state = Guarded(State())
  private let delivery = Drain()

  init(_ id: RequestID, _ monitors: [any Monitor], _ clock: any SignalScheduler, isStreamed: Bool) {
    self.id = id
    self.isStreamed = isStreamed
    self.monitors = monitors
    self.clock = clock
  }

  // A subscription whose source was dropped ends without an event.
  deinit { end(.cancelled) }

  func start(_ request: Request?) {
    change { state, now in
      state.startedAt = now
      return [.started(self.id, request)]
    }
  }

  func beginAttempt(_ request: HTTPRequest) {
    change { state, now in
      state.attempt = Attempt(request: request, startedAt: now)
      return []
    }
  }

  func wait(_ request: HTTPRequest) {
    change { _, _ in [.waiting(request)] }
  }

  func send(_ request: HTTPRequest) {
    change { state, _ in
      state.wasSent = true
      state.attempt?.wasSent = true
      state.attempt?.request = request
      return [.sent(request)]
    }
  }

  func respond(_ head: HTTPResponse) {
    change { state, _ in
      state.attempt?.response = head
      return state.attempt.map { [.responded($0.request, head)] } ?? []
    }
  }

  func note(_ event: CacheEvent, of request: HTTPRequest) {
    change { _, _ in [.cache(request, event)] }
  }

  /// Records the response, or its next piece.
  func receive(_ response: Response<Data>) {
    let isPiece = isStreamed && (200..<300).contains(response.statusCode)
    change { state, _ in
      state.attempt?.response = response.head
      state.attempt?.metrics = response.metrics
      state.attempt?.bodyByteCount += response.value.count
      if isPiece { state.attempt?.piece = response }
      return isPiece ? [] : self.complete(response, &state)
    }
  }

  /// Reports the end of a response that was received in pieces; the last piece is empty and has the metrics.
  func completePieces() {
    change { state, _ in
      guard let last = state.attempt?.piece.take() else { return [] }
      return self.complete(last, &state)
    }
  }

  private func complete(_ response: Response<Data>, _ state: inout State) -> [MonitorEvent] {
    state.attempt?.isComplete = true
    return state.attempt.map { [.received($0.request, response)] } ?? []
  }

  func deliver(_ head: HTTPResponse) {
    change { state, _ in
      // Of a body in pieces, only the first one is reported.
      if self.isStreamed, state.hasDelivered { return [] }
      state.hasDelivered = true
      return (state.attempt?.request ?? state.lastReport?.request).map { [.delivered($0, head)] } ?? []
    }
  }

  func endAttempt(_ outcome: RequestReport.Outcome) {
    change { state, now in self.endAttempt(outcome, &state, now) }
  }

  func end(_ outcome: RequestReport.Outcome) {
    change { state, now in
      guard let startedAt = state.startedAt else { return [] }
      // A disposal after the value was delivered is not a cancellation.
      let isDone = state.hasDelivered && state.attempt?.isComplete ?? true
      let outcome = if case .cancelled = outcome, isDone { RequestReport.Outcome.success } else { outcome }
      var events = self.endAttempt(outcome.ofAttempt, &state, now)
      let last = state.lastReport
      state.isTerminated = true
      events.append(
        .ended(
          RequestReport(
            id: self.id, attempt: last?.attempt ?? 0, request: last?.request ?? outcome.error?.request,
            wasSent: state.wasSent, response: outcome.error?.response?.head ?? last?.response,
            bodyByteCount: last?.bodyByteCount ?? 0, duration: now - startedAt,
            metrics: outcome.error?.metrics ?? last?.metrics, outcome: outcome)))
      return events
    }
  }

  private func endAttempt(
    _ outcome: RequestReport.Outcome, _ state: inout State, _ now: Duration
  ) -> [MonitorEvent] {
    guard let attempt = state.attempt.take() else { return [] }
    let response = outcome.error?.response
    let report = RequestReport(
      id: id, attempt: attempt.request.attempt, request: attempt.request, wasSent: attempt.wasSent,
      response: response?.head ?? attempt.response,
      bodyByteCount: max(response?.value.count ?? 0, attempt.bodyByteCount),
      duration: now - attempt.startedAt, metrics: outcome.error?.metrics ?? attempt.metrics, outcome: outcome)
    state.lastReport = report
    return [.attemptEnded(report)]
  }

  /// Changes the state and delivers the resulting events after those in delivery, on whatever thread.
  private func change(_ change: (inout State, _ now: Duration) -> [MonitorEvent]) {
    let now = clock.now
    state.withLock { state in
      if !state.isTerminated { state.events += change(&state, now) }
    }
    delivery.run {
      while let event = state.withLock({ $0.events.takeFirst() }) {
        for monitor in monitors { monitor.observe(event) }
      }
    }
  }
}

extension RequestReport.Outcome {
  /// The outcome of an attempt in progress when its request ends: cancelled, because it did not fail itself.
  fileprivate var ofAttempt: RequestReport.Outcome { if case .failure = self { .cancelled } else { self } }
}
