import Foundation
import Signals

/// The record of one subscription, which delivers its events to the monitors, serially and in order.
final class RequestRecord: AttemptRecorder {
  let id: RequestID
  /// The decisions of the run, for its ``Response/explanation``.
  let log: RunLog
  /// Whether the bodies of successful responses are delivered in pieces.
  let isStreamed: Bool
  /// Whether a refresh sends the request with its client.
  let isOfRefresh: Bool
  private let monitors: MonitorChain
  private let clock: any SignalScheduler
  private let state: Guarded<State>

  init(
    _ id: RequestID, _ monitors: MonitorChain, _ clock: any SignalScheduler, isStreamed: Bool, isOfRefresh: Bool
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
    var description: Request?
    let delivers = claim { state, now in
      state.startedAt = now
      description = state.description.take()
      return state.claimDelivery(of: .started(self.id, description))
    }
    if delivers { deliver(.started(id, description)) }
  }

  func beginAttempt(_ request: HTTPRequest) {
    update { state, now in
      state.attempt = Attempt(
        number: request.attempt, startedAt: now, facts: CopyOnWrite(RequestReport.Facts(request: request)))
      state.attemptCount = max(state.attemptCount, request.attempt)
      state.record(.attempt(request.attempt, request.cachePolicy), at: now)
    }
  }

  /// Records that the request waits for a network; `nil` means the request of the last attempt.
  func wait(_ request: HTTPRequest?) {
    var waiting: HTTPRequest?
    update { state, now in
      guard let request = request ?? state.lastAttempt?.facts.value.request else { return }
      state.record(.waiting, at: now)
      if state.claimDelivery(of: .waiting(request)) { waiting = request }
    }
    if let waiting { deliver(.waiting(waiting)) }
  }

  func send(_ request: HTTPRequest) {
    let delivers = claim { state, now in
      state.record(.sent(request.method, request.url), at: now)
      state.wasSent = true
      state.attempt?.facts.value.wasSent = true
      state.attempt?.facts.value.request = request
      return state.claimDelivery(of: .sent(request))
    }
    if delivers { deliver(.sent(request)) }
  }

  func follow(_ request: HTTPRequest, _ head: HTTPResponse, by next: HTTPRequest) {
    let delivers = state.withLock { !$0.isTerminated && $0.claimDelivery(of: .redirected(request, head, next)) }
    if delivers { deliver(.redirected(request, head, next)) }
  }

  func respond(_ head: HTTPResponse) {
    var request: HTTPRequest?
    update { state, now in
      state.attempt?.facts.value.response = head
      state.record(.responded(statusCode: head.statusCode), at: now)
      // Not `map`, which would copy the attempt.
      guard let sent = state.attempt?.facts.value.request else { return }
      if state.claimDelivery(of: .responded(sent, head)) { request = sent }
    }
    if let request { deliver(.responded(request, head)) }
  }

  func recordCache(_ event: CacheEvent, of request: HTTPRequest) {
    let delivers = claim { state, now in
      state.record(.cache(event), at: now)
      return state.claimDelivery(of: .cache(request, event))
    }
    if delivers { deliver(.cache(request, event)) }
  }

  func record(_ entry: RunHistory.Entry) { update { state, now in state.record(entry, at: now) } }

  /// Records the response, or the next piece of it: the last one is empty and has the metrics.
  func receive(_ response: Response<Data>, isLast: Bool) {
    if response.source == .shared { record(.shared(statusCode: response.statusCode)) }
    var request: HTTPRequest?
    update { state, now in
      state.attempt?.facts.value.receive(response)
      if !isLast { return }
      state.attempt?.isComplete = true
      // The last piece of a stream is empty.
      if !response.value.isEmpty { state.record(.reading(byteCount: response.value.count), at: now) }
      guard let sent = state.attempt?.facts.value.request else { return }
      if state.claimDelivery(of: .received(sent, response)) { request = sent }
    }
    if let request { deliver(.received(request, response)) }
  }

  /// Records a value, and sets its history.
  func deliver(_ response: Response<Data>) {
    var request: HTTPRequest?
    update { state, now in
      // Only the first piece of a streamed body is reported.
      if self.isStreamed, state.hasDelivered { return }
      state.hasDelivered = true
      state.earlierAttempts = response.details?.value.metrics?.earlierAttempts ?? []
      if state.attempt?.hasDelivered == false {
        state.attempt?.hasDelivered = true
        state.record(.delivered, at: now)
      }
      guard let sent = state.request else { return }
      if state.claimDelivery(of: .delivered(sent, response.head)) { request = sent }
    }
    if let request { deliver(.delivered(request, response.head)) }
  }

  func endAttempt(_ outcome: RequestReport.Outcome) {
    let outcome = outcome.ofAttempt
    // Released after the update, outside the lock: its body may hold the last reference to an app's object.
    var former: EndedAttempt?
    var report: RequestReport?
    update { state, now in
      guard let ended = self.endAttempt(outcome, &state, now, replacing: &former) else { return }
      if state.claimDelivery(of: .attemptEnded(ended)) { report = ended }
    }
    if let report { deliver(.attemptEnded(report)) }
  }

  func end(_ outcome: RequestReport.Outcome) {
    var outcome = outcome
    var former: EndedAttempt?
    var (ofAttempt, ofRequest): (RequestReport?, RequestReport?)
    update { state, now in
      guard let startedAt = state.startedAt else { return }
      // A disposal after the value was delivered is not a cancellation, unless another attempt was to follow.
      let isDone = state.hasDelivered && (state.attempt?.isComplete ?? (state.lastAttempt?.hasFailed != true))
      if case .cancelled = outcome, isDone { outcome = .success }
      let attempt = self.endAttempt(outcome.ofAttempt, &state, now, replacing: &former)
      state.isTerminated = true
      var facts = state.lastAttempt?.facts ?? CopyOnWrite(RequestReport.Facts(request: outcome.error?.request))
      if facts.value.wasSent != state.wasSent { facts.value.wasSent = state.wasSent }
      // The end of the attempt has recorded the error already, unless the attempt ended before or was cancelled.
      let isRecorded = attempt?.error != nil
      // The response and the metrics of a failed refresh are those of another request.
      if let error = outcome.error, !error.isOfRefresh, !isRecorded { facts.value.replaceResponse(by: error) }
      let earlier = state.attemptsBeforeLast
      if !earlier.isEmpty { facts.value.details = facts.value.details.following(earlier) }
      let request = RequestReport(
        id: id, attempt: state.attemptCount, duration: max(.zero, now - startedAt), outcome: outcome, facts: facts,
        position: log.position, isOfRefresh: isOfRefresh)
      if state.isDelivering {
        if let attempt { state.queue.append(.attemptEnded(attempt)) }
        state.queue.append(.ended(request))
      } else {
        // Nothing follows, so the delivery needs no end.
        state.isDelivering = true
        (ofAttempt, ofRequest) = (attempt, request)
      }
    }
    if let ofAttempt { monitors.observe(.attemptEnded(ofAttempt)) }
    if let ofRequest { monitors.observe(.ended(ofRequest)) }
  }

  private func endAttempt(
    _ outcome: RequestReport.Outcome, _ state: inout State, _ now: Duration, replacing former: inout EndedAttempt?
  ) -> RequestReport? {
    guard var attempt = state.attempt.take() else { return nil }
    // The clock is read before the lock, so another thread may have begun the attempt at a later instant.
    let duration = max(.zero, now - attempt.startedAt)
    if let error = outcome.error {
      state.recordFailure(of: attempt.number, .init(error))
      attempt.facts.value.fail(error)
    }
    state.record(.ended(outcome.recorded, wasSent: attempt.facts.value.wasSent, after: duration), at: now)
    former = state.lastAttempt.take()
    state.lastAttempt = EndedAttempt(
      number: attempt.number, facts: attempt.facts, hasFailed: outcome.error != nil)
    return RequestReport(
      id: id, attempt: attempt.number, duration: duration, outcome: outcome, facts: attempt.facts,
      position: log.position, isOfRefresh: isOfRefresh)
  }

  /// Updates the state, unless the request has terminated.
  @inline(__always)
  private func update(_ change: (inout State, _ now: Duration) -> Void) {
    let now = clock.now
    state.withLock { if !$0.isTerminated { change(&$0, now) } }
  }

  /// Updates the state, and returns whether the caller delivers an event; `false` if the request has terminated.
  @inline(__always)
  private func claim(_ change: (inout State, _ now: Duration) -> Bool) -> Bool {
    let now = clock.now
    return state.withLock { !$0.isTerminated && change(&$0, now) }
  }

  /// Delivers an event, on any thread, and those that are queued meanwhile; the caller creates the event outside the
  /// lock: an optional one would be copied.
  private func deliver(_ event: MonitorEvent) {
    monitors.observe(event)
    while let events = state.withLock({ $0.takeQueue() }) {
      for event in events { monitors.observe(event) }
    }
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
