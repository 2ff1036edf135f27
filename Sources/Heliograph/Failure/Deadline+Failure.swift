package import Signals

extension Deadline {
  /// Returns the error of an exchange that fails in its transport, with the phase from its metrics.
  func failure(of request: HTTPRequest, _ metrics: Metrics) -> NetworkError {
    failure(Evidence.Phase(metrics, of: request)?.activity ?? Activity.exchange.rawValue, request, metrics)
  }

  /// Returns the error of an exchange with a stub that fails at `endedAt`; the whole request was sent, and the head of
  /// the response arrived, at the other instants, which are `nil` before that.
  package func failure(
    of request: HTTPRequest, bodyEndedAt: Duration?, firstByteAt: Duration?, endedAt: Duration
  ) -> NetworkError {
    var metrics = Metrics(startedAt: .zero, sentAt: .zero, firstByteAt: firstByteAt, endedAt: endedAt)
    metrics.hasSentAll = bodyEndedAt != nil
    metrics.bodyEndedAt = bodyEndedAt
    return failure(of: request, metrics)
  }

  /// Returns the error of a request outside a transport, with the client's current activity.
  func failure() -> NetworkError {
    let activity = self.activity
    // In middleware nothing was sent, so the metrics are those of a wait in the queue.
    let metrics = activity == .middleware ? Metrics(endedAt: elapsed) : nil
    var error = failure(activity.rawValue, request, metrics)
    if [.preparing, .connectivity].contains(activity) {
      // The last attempt, or its refresh, failed for lack of a network.
      let evidence = activity == .connectivity ? Evidence(reachabilityBefore: .unreachable) : nil
      error.attribution = Attribution(.client, evidence: evidence)
    }
    return error
  }

  /// Returns the error of a request outside its attempts, which has all of them.
  func failureOutsideAttempts() -> NetworkError {
    let attempts = failedAttempts
    var error = failure()
    if attempts.isEmpty { return error }
    if error.metrics == nil { error.metrics = Metrics(endedAt: elapsed) }
    error.metrics = error.metrics.adding(earlierAttempts: attempts)
    return error
  }

  private func failure(_ activity: String, _ request: HTTPRequest?, _ metrics: Metrics? = nil) -> NetworkError {
    NetworkError(
      .timedOut, reason: "total timeout of \(duration) exceeded while \(activity)", request: request,
      metrics: metrics)
  }

  /// Returns the error with an undetermined party if the total timeout alone is no evidence.
  ///
  /// The server is at fault only if more than half of the time was spent waiting for the head of its response. Time
  /// spent in queues, middleware, earlier attempts or on a slow path is not the server's fault.
  func attributed(_ error: NetworkError) -> NetworkError {
    guard hasPassed, error.code == .timedOut, error.attribution.party == .server else { return error }
    if error.attribution.evidence?.phase == .awaitingResponse, let metrics = error.metrics,
      let sentAt = metrics.bodyEndedAt ?? metrics.sentAt, metrics.endedAt - sentAt > duration / 2
    {
      return error
    }
    var error = error
    error.attribution = Attribution(.undetermined, evidence: error.attribution.evidence)
    return error
  }

  /// Returns a signal that is a stage of the request: it fails when the deadline passes, as a failed attempt does.
  ///
  /// During a refresh, the error has the attempt that needed it.
  func staging<Value>(
    _ signal: Signal<Value, NetworkError>, refreshingAfter error: NetworkError? = nil
  ) -> Signal<Value, NetworkError> {
    signal.interrupted(
      enter: { [self] key, fail in
        enter(key) {
          var failure = self.failureOutsideAttempts()
          failure.marks.attemptBeforeRefresh = error.map { FailedAttempt($0) }
          fail(failure)
        }
      },
      leave: { [self] key in leave(key) })
  }
}

extension HTTPRequest {
  /// Whether the request has a total timeout that no outer stage enforces, as when a transport is used directly.
  package var needsDeadline: Bool { totalTimeout != nil && deadline == nil }

  /// Returns an exchange that fails at the deadline of this request; `send` gets the request with its deadline.
  package func limited(
    on clock: any SignalScheduler = .global,
    _ send: @escaping @Sendable (HTTPRequest) -> Signal<TransportEvent, NetworkError>
  ) -> Signal<TransportEvent, NetworkError> {
    .deferred {
      guard let totalTimeout else { return send(self) }
      let deadline = Deadline(after: totalTimeout, on: clock)
      var request = self
      request.context.deadline = deadline
      deadline.activity = .exchange
      return send(request).interrupted(
        enter: { [request] _, fail in deadline.start { fail(deadline.failure().attaching(request)) } },
        leave: { _ in deadline.stop() })
    }
  }
}
