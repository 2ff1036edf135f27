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
    /// Whether the whole response has been received.
    var isComplete = false
    var hasDelivered = false
  }

  private struct State {
    var startedAt: Duration?
    var attempt: Attempt?
    var lastReport: RequestReport?
    var wasSent = false
    var hasDelivered = false
    var isTerminated = false
    /// The queue of events for the monitors.
    var events: [MonitorEvent] = []
    /// The decisions of the run, for its ``Response/explanation``.
    var history = RunHistory()

    mutating func record(_ entry: RunHistory.Entry, at now: Duration) {
      history.append(entry, at: now - (startedAt ?? now))
    }
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
    update { state, now in
      state.startedAt = now
      return [.started(self.id, request)]
    }
  }

  func beginAttempt(_ request: HTTPRequest) {
    update { state, now in
      state.attempt = Attempt(request: request, startedAt: now)
      state.record(.attempt(request.attempt, request.cachePolicy), at: now)
      return []
    }
  }

  func wait(_ request: HTTPRequest) {
    update { state, now in
      state.record(.waiting, at: now)
      return [.waiting(request)]
    }
  }

  func send(_ request: HTTPRequest) {
    update { state, now in
      state.record(.sent(request.method, request.url), at: now)
      state.wasSent = true
      state.attempt?.wasSent = true
      state.attempt?.request = request
      return [.sent(request)]
    }
  }

  func follow(_ request: HTTPRequest, _ head: HTTPResponse, by next: HTTPRequest) {
    update { _, _ in [.continued(request, head, next)] }
  }

  func respond(_ head: HTTPResponse) {
    update { state, now in
      state.attempt?.response = head
      state.record(.responded(statusCode: head.statusCode), at: now)
      return state.attempt.map { [.responded($0.request, head)] } ?? []
    }
  }

  func recordCache(_ event: CacheEvent, of request: HTTPRequest) {
    update { state, now in
      state.record(.cache(event), at: now)
      return [.cache(request, event)]
    }
  }

  /// Records a decision that has no event of its own.
  func record(_ entry: RunHistory.Entry) {
    update { state, now in
      state.record(entry, at: now)
      return []
    }
  }

  func limitRetries(to limit: Int) {
    update { state, _ in
      state.history.retryLimit = limit
      return []
    }
  }

  var history: RunHistory { state.withLock { $0.history } }

  /// Records the response, or the next piece of it: the last one is empty and has the metrics.
  func receive(_ response: Response<Data>, isLast: Bool) {
    update { state, now in
      if response.source == .shared { state.record(.shared(statusCode: response.statusCode), at: now) }
      state.attempt?.response = response.head
      state.attempt?.metrics = response.metrics
      state.attempt?.bodyByteCount += response.value.count
      if !isLast { return [] }
      state.attempt?.isComplete = true
      return state.attempt.map { [.received($0.request, response)] } ?? []
    }
  }

  func deliver(_ head: HTTPResponse) {
    update { state, now in
      // Only the first piece of a streamed body is reported.
      if self.isStreamed, state.hasDelivered { return [] }
      state.hasDelivered = true
      if state.attempt?.hasDelivered == false {
        state.attempt?.hasDelivered = true
        state.record(.delivered, at: now)
      }
      return (state.attempt?.request ?? state.lastReport?.request).map { [.delivered($0, head)] } ?? []
    }
  }

  func endAttempt(_ outcome: RequestReport.Outcome) {
    update { state, now in self.endAttempt(outcome, &state, now) }
  }

  func end(_ outcome: RequestReport.Outcome) {
    update { state, now in
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
            metrics: outcome.error?.metrics ?? last?.metrics, outcome: outcome, history: state.history)))
      return events
    }
  }

  private func endAttempt(
    _ outcome: RequestReport.Outcome, _ state: inout State, _ now: Duration
  ) -> [MonitorEvent] {
    guard let attempt = state.attempt.take() else { return [] }
    let response = outcome.error?.response
    state.record(.ended(outcome.recorded, wasSent: attempt.wasSent, after: now - attempt.startedAt), at: now)
    let report = RequestReport(
      id: id, attempt: attempt.request.attempt, request: attempt.request, wasSent: attempt.wasSent,
      response: response?.head ?? attempt.response,
      bodyByteCount: max(response?.value.count ?? 0, attempt.bodyByteCount),
      duration: now - attempt.startedAt, metrics: outcome.error?.metrics ?? attempt.metrics, outcome: outcome,
      history: state.history)
    state.lastReport = report
    return [.attemptEnded(report)]
  }

  /// Updates the state and delivers the resulting events after those in delivery, on whatever thread.
  private func update(_ update: (inout State, _ now: Duration) -> [MonitorEvent]) {
    let now = clock.now
    state.withLock { state in
      if !state.isTerminated { state.events += update(&state, now) }
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

  /// The outcome as a value of the run's history.
  fileprivate var recorded: RunHistory.Outcome {
    switch self {
    case .success: .succeeded
    case .failure(let error): .failed(error.cause)
    case .cancelled: .cancelled
    }
  }
}
