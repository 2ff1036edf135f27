import Foundation
import Signals

/// The record of one subscription, which delivers its events to the monitors, serially and in order.
final class RequestRecord: AttemptRecorder {
  private struct Attempt {
    let number: Int
    let startedAt: Duration
    var facts: CopyOnWrite<RequestReport.Facts>
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
    /// The report of the whole request, delivered after the queue.
    var finalReport: RequestReport?

    /// Returns the next event, or ends the delivery.
    mutating func takeNext() -> MonitorEvent? {
      if !queue.isEmpty { return queue.removeFirst() }
      if let report = finalReport.take() { return .ended(report) }
      isDelivering = false
      return nil
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
  /// Whether a refresh sends the request with its client.
  private let isOfRefresh: Bool
  private let monitors: [any Monitor]
  private let clock: any SignalScheduler
  private let state: Guarded<State>

  init(
    _ id: RequestID, _ monitors: [any Monitor], _ clock: any SignalScheduler, isStreamed: Bool,
    isOfRefresh: Bool = false
  ) {
    self.id = id
    self.isStreamed = isStreamed
    self.isOfRefresh = isOfRefresh
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
      state.attempt = Attempt(
        number: request.attempt, startedAt: now, facts: CopyOnWrite(RequestReport.Facts(request: request)))
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
      state.attempt?.facts.value.wasSent = true
      state.attempt?.facts.value.request = request
      return .sent(request)
    }
  }

  func follow(_ request: HTTPRequest, _ head: HTTPResponse, by next: HTTPRequest) {
    update { _, _ in .redirected(request, head, next) }
  }

  func respond(_ head: HTTPResponse) {
    update { state, now in
      state.attempt?.facts.value.response = head
      state.record(.responded(statusCode: head.statusCode), at: now)
      // Not `map`, which would copy the attempt.
      guard let request = state.attempt?.facts.value.request else { return nil }
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
      state.attempt?.facts.value.receive(response)
      if !isLast { return nil }
      state.attempt?.isComplete = true
      guard let request = state.attempt?.facts.value.request else { return nil }
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
      guard let request = state.attempt?.facts.value.request ?? state.lastReport?.request else { return nil }
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
      var facts = last?.facts ?? CopyOnWrite(RequestReport.Facts(request: outcome.error?.request))
      if facts.value.wasSent != state.wasSent { facts.value.wasSent = state.wasSent }
      // The end of the attempt has recorded the error already, unless the attempt ended before or was cancelled.
      let isRecorded = attemptEnded != nil && outcome.ofAttempt.error != nil
      // The response and the metrics of a failed refresh are those of another request.
      if let error = outcome.error, !error.isOfRefresh, !isRecorded { facts.value.replaceResponse(by: error) }
      let earlier = state.attemptsBefore(last)
      if !earlier.isEmpty { facts.value.details = facts.value.details.following(earlier) }
      let report = RequestReport(
        id: self.id, attempt: state.attemptCount, duration: max(.zero, now - startedAt), outcome: outcome, facts: facts,
        position: log.position, isOfRefresh: self.isOfRefresh)
      // With two events, the later one waits behind the queue.
      guard let attemptEnded else { return .ended(report) }
      state.finalReport = report
      return attemptEnded
    }
  }

  private func endAttempt(
    _ outcome: RequestReport.Outcome, _ state: inout State, _ now: Duration, replacing former: inout RequestReport?
  ) -> MonitorEvent? {
    guard var attempt = state.attempt.take() else { return nil }
    let outcome = outcome.ofAttempt
    // The clock is read before the lock, so another thread may have begun the attempt at a later instant.
    let duration = max(.zero, now - attempt.startedAt)
    if let error = outcome.error {
      state.recordFailure(of: attempt.number, .init(error))
      attempt.facts.value.fail(error)
    }
    state.record(.ended(outcome.recorded, wasSent: attempt.facts.value.wasSent, after: duration), at: now)
    let report = RequestReport(
      id: id, attempt: attempt.number, duration: duration, outcome: outcome, facts: attempt.facts,
      position: log.position, isOfRefresh: isOfRefresh)
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
      if state.isDelivering {
        state.queue.append(event)
        return nil
      }
      state.isDelivering = true
      return event
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

extension RequestReport.Facts {
  /// Adds a response, or the next piece of it.
  fileprivate mutating func receive(_ piece: Response<Data>) {
    response = piece.head
    details = piece.details
    bodyByteCount += piece.value.count
  }

  /// Replaces the head and the details of the response by those of a failure, if it has some.
  fileprivate mutating func replaceResponse(by error: NetworkError) {
    response = error.response?.head ?? response
    details = error.details ?? details
  }

  /// Adds the response of the failure that has ended the attempt.
  fileprivate mutating func fail(_ error: NetworkError) {
    replaceResponse(by: error)
    bodyByteCount = max(bodyByteCount, error.response?.value.count ?? 0)
  }
}
