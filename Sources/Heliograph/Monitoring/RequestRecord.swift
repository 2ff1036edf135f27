import Foundation
import Signals

/// The record of one subscription, which delivers its events to the monitors, serially and in order.
final class RequestRecord: AttemptRecorder {
  private struct Attempt {
    var request: HTTPRequest
    let startedAt: Duration
    var wasSent = false
    var response: HTTPResponse?
    /// The details of the response, which have its metrics.
    var details: CopyOnWrite<ResponseDetails>?
    var bodyByteCount = 0
    /// Whether the whole response has been received.
    var isComplete = false
    var hasDelivered = false
  }

  private struct State {
    /// The decisions of the run.
    let log: RunLog
    /// The caller's description; `nil` if it could not be created, and after the start.
    var description: Request?
    var startedAt: Duration?
    var attempt: Attempt?
    var lastReport: RequestReport?
    /// The largest number of an attempt.
    var attemptCount = 0
    /// The failures of the attempts, by their numbers; of several steps of an attempt, the last failure.
    var failedAttempts: [Metrics.Attempt] = []
    /// The attempts before the delivered response.
    var earlierAttempts: [Metrics.Attempt] = []
    var wasSent = false
    var hasDelivered = false
    var isTerminated = false
    /// Whether a thread is delivering events.
    var isDelivering = false
    /// The events that the delivering thread delivers next.
    var queue: [MonitorEvent] = []

    /// Returns the event if the caller is to deliver it now, or else queues it.
    mutating func claimDelivery(of event: consuming MonitorEvent) -> MonitorEvent? {
      if isDelivering {
        queue.append(event)
        return nil
      }
      isDelivering = true
      return event
    }

    /// Returns the next event, or ends the delivery.
    mutating func takeNext() -> MonitorEvent? {
      isDelivering = !queue.isEmpty
      return isDelivering ? queue.removeFirst() : nil
    }

    /// Records a failure, which replaces that of an earlier step with the same number; those of later attempts remain.
    mutating func recordFailure(of number: Int, _ failure: Metrics.Attempt) {
      if failedAttempts.count < number {
        failedAttempts.append(failure)
      } else if failedAttempts.count == number, number > 0 {
        failedAttempts[number - 1] = failure
      }
    }

    /// Returns the failed attempts before the last one, also if no value was delivered.
    func attemptsBefore(_ last: RequestReport?) -> [Metrics.Attempt] {
      guard earlierAttempts.isEmpty, let last else { return earlierAttempts }
      return last.attempt < attemptCount ? failedAttempts : Array(failedAttempts.prefix(max(0, last.attempt - 1)))
    }

    func record(_ entry: RunHistory.Entry, at now: Duration) {
      log.append(entry, at: now - (startedAt ?? now))
    }
  }

  let id: RequestID
  /// The decisions of the run, for its ``Response/explanation``.
  let log: RunLog
  /// Whether the bodies of successful responses are delivered in pieces.
  let isStreamed: Bool
  private let monitors: [any Monitor]
  private let clock: any SignalScheduler
  private let state: Guarded<State>

  init(_ id: RequestID, _ monitors: [any Monitor], _ clock: any SignalScheduler, isStreamed: Bool) {
    self.id = id
    self.isStreamed = isStreamed
    log = RunLog()
    state = Guarded(State(log: log))
    self.monitors = monitors
    self.clock = clock
  }

  // A subscription whose source was dropped ends without an event.
  deinit { if !state.withLock({ $0.isTerminated }) { end(.cancelled) } }

  /// Sets the caller's description, before the start.
  func describe(_ request: Request?) { state.withLock { $0.description = request } }

  func start() {
    update { state, now in
      state.startedAt = now
      return .started(self.id, state.description.take())
    }
  }

  func beginAttempt(_ request: HTTPRequest) {
    update { state, now in
      state.attempt = Attempt(request: request, startedAt: now)
      state.attemptCount = max(state.attemptCount, request.attempt)
      state.record(.attempt(request.attempt, request.cachePolicy), at: now)
      return nil
    }
  }

  /// Records that the request waits for a network; `nil` means the request of the last attempt.
  func wait(_ request: HTTPRequest?) {
    update { state, now in
      guard let request = request ?? state.lastReport?.request else { return nil }
      state.record(.waiting, at: now)
      return .waiting(request)
    }
  }

  func send(_ request: HTTPRequest) {
    update { state, now in
      state.record(.sent(request.method, request.url), at: now)
      state.wasSent = true
      state.attempt?.wasSent = true
      state.attempt?.request = request
      return .sent(request)
    }
  }

  func follow(_ request: HTTPRequest, _ head: HTTPResponse, by next: HTTPRequest) {
    update { _, _ in .redirected(request, head, next) }
  }

  func respond(_ head: HTTPResponse) {
    update { state, now in
      state.attempt?.response = head
      state.record(.responded(statusCode: head.statusCode), at: now)
      // Not `map`, which would copy the attempt.
      guard let request = state.attempt?.request else { return nil }
      return .responded(request, head)
    }
  }

  func recordCache(_ event: CacheEvent, of request: HTTPRequest) {
    update { state, now in
      state.record(.cache(event), at: now)
      return .cache(request, event)
    }
  }

  func record(_ entry: RunHistory.Entry) {
    update { state, now in
      state.record(entry, at: now)
      return nil
    }
  }

  /// Records the response, or the next piece of it: the last one is empty and has the metrics.
  func receive(_ response: Response<Data>, isLast: Bool) {
    update { state, now in
      if response.source == .shared { state.record(.shared(statusCode: response.statusCode), at: now) }
      state.attempt?.response = response.head
      state.attempt?.details = response.details
      state.attempt?.bodyByteCount += response.value.count
      if !isLast { return nil }
      state.attempt?.isComplete = true
      guard let request = state.attempt?.request else { return nil }
      return .received(request, response)
    }
  }

  /// Records a value, and sets its history.
  func deliver(_ response: Response<Data>) {
    update { state, now in
      // Only the first piece of a streamed body is reported.
      if self.isStreamed, state.hasDelivered { return nil }
      state.hasDelivered = true
      state.earlierAttempts = response.details?.value.metrics?.earlierAttempts ?? []
      if state.attempt?.hasDelivered == false {
        state.attempt?.hasDelivered = true
        state.record(.delivered, at: now)
      }
      guard let request = state.attempt?.request ?? state.lastReport?.request else { return nil }
      return .delivered(request, response.head)
    }
  }

  /// Ends the attempt in progress, if any.
  func endAttempt(_ outcome: RequestReport.Outcome) {
    // Released after the update, outside the lock: its error or body may hold the last reference to an app's object.
    var former: RequestReport?
    update { state, now in self.endAttempt(outcome, &state, now, replacing: &former) }
  }

  func end(_ outcome: RequestReport.Outcome) {
    var former: RequestReport?
    update { state, now in
      guard let startedAt = state.startedAt else { return nil }
      // A disposal after the value was delivered is not a cancellation, unless another attempt was to follow.
      let isDone = state.hasDelivered && (state.attempt?.isComplete ?? (state.lastReport?.error == nil))
      let outcome = if case .cancelled = outcome, isDone { RequestReport.Outcome.success } else { outcome }
      let attemptEnded = self.endAttempt(outcome, &state, now, replacing: &former)
      let last = state.lastReport
      state.isTerminated = true
      // The response and the metrics of a failed refresh are those of another request.
      let failure = outcome.error?.isOfRefresh == true ? nil : outcome.error
      let report = RequestReport(
        RequestReport.Contents(
          id: self.id, attempt: state.attemptCount, request: last?.request ?? outcome.error?.request,
          wasSent: state.wasSent, response: failure?.response?.head ?? last?.response,
          bodyByteCount: last?.bodyByteCount ?? 0, duration: max(.zero, now - startedAt),
          details: (failure?.details ?? last?.details).following(state.attemptsBefore(last)), outcome: outcome,
          position: log.position))
      guard let attemptEnded else { return .ended(report) }
      // Two events: the later one is queued behind the other.
      let isQueued = state.isDelivering
      state.queue.append(isQueued ? attemptEnded : .ended(report))
      return isQueued ? .ended(report) : attemptEnded
    }
  }

  private func endAttempt(
    _ outcome: RequestReport.Outcome, _ state: inout State, _ now: Duration, replacing former: inout RequestReport?
  ) -> MonitorEvent? {
    guard let attempt = state.attempt.take() else { return nil }
    let outcome = outcome.ofAttempt
    let response = outcome.error?.response
    // The clock is read before the lock, so another thread may have begun the attempt at a later instant.
    let duration = max(.zero, now - attempt.startedAt)
    if let error = outcome.error { state.recordFailure(of: attempt.request.attempt, .init(error)) }
    state.record(.ended(outcome.recorded, wasSent: attempt.wasSent, after: duration), at: now)
    let report = RequestReport(
      RequestReport.Contents(
        id: id, attempt: attempt.request.attempt, request: attempt.request, wasSent: attempt.wasSent,
        response: response?.head ?? attempt.response,
        bodyByteCount: max(response?.value.count ?? 0, attempt.bodyByteCount),
        duration: duration, details: outcome.error?.details ?? attempt.details, outcome: outcome,
        position: log.position))
    former = state.lastReport
    state.lastReport = report
    return .attemptEnded(report)
  }

  /// Updates the state and delivers the resulting event after those already in delivery, on any thread.
  private func update(_ update: (inout State, _ now: Duration) -> MonitorEvent?) {
    let now = clock.now
    let first = state.withLock { state -> MonitorEvent? in
      if state.isTerminated { return nil }
      guard let event = update(&state, now) else { return nil }
      return state.claimDelivery(of: event)
    }
    // Consumed: an event is large, and a copy of it retains all of its members.
    if let event = consume first { deliver(event) }
  }

  /// Delivers an event, and those that are queued meanwhile.
  private func deliver(_ event: MonitorEvent) {
    pass(event)
    while let next = state.withLock({ $0.takeNext() }) { pass(next) }
  }

  private func pass(_ event: MonitorEvent) {
    // By index, because an iterator would copy each monitor.
    for index in monitors.indices { monitors[index].observe(event) }
  }
}

extension RequestReport.Outcome {
  /// The outcome of an attempt: cancelled if the identity of the request has changed, because the attempt itself did not
  /// fail.
  fileprivate var ofAttempt: RequestReport.Outcome { error?.code == .contextChanged ? .cancelled : self }

  /// The outcome as a value of the run's history.
  fileprivate var recorded: RunHistory.Outcome {
    switch self {
    case .success: .succeeded
    case .failure(let error): .failed(error.cause)
    case .cancelled: .cancelled
    }
  }
}
