import Signals

extension RequestRun {
  /// Returns whether the request waits for a network in a step.
  ///
  /// A refresh has a timeout of its own: the requests that need it wait instead. What has delivered a stored response
  /// does not wait.
  func mayWait(_ step: CacheStep) -> Bool {
    waitsForNetwork && !client.isRefreshing && !(step.isSecond && state.withLock { $0.hasDeliveredStored })
  }

  /// Returns whether a failure, of an attempt or of a refresh, waits for a network.
  func waits(for error: NetworkError, in step: CacheStep, _ hasSent: Bool) -> Bool {
    !hasSent && mayWait(step) && parts.offline.allowsWaiting(after: error) && (error.isOfRefresh || !isStreamSpent)
  }

  /// Returns the attempts after one that has failed for lack of a network, or whose refresh has, once there is one.
  func waiting(_ plan: AttemptPlan, _ step: CacheStep, after error: NetworkError) -> Results {
    record?.endAttempt(.failure(error))
    let waits = plan.waits(forRefresh: error.isOfRefresh)
    let next = Results.deferred { [self] in
      deadline?.activity = .connectivity
      if waits.count == 0 { record?.wait(error.isOfRefresh ? nil : error.request) }
      // The network may have come back while the request was sent, or the stored response was looked up.
      return parts.offline.online(after: waits, since: plan.status, on: parts.configuration.scheduler)
        .flatMap { [self] in attempts(step, plan.waited($0, forRefresh: error.isOfRefresh)) }
    }
    guard step.readsStoredFirst, waits.count == 0 else { return next }
    let failed = state.withLock { $0.failed.attempts } + (error.isOfRefresh ? [] : [Metrics.Attempt(error)])
    let stored = run(CacheStep(policy: CachePolicy(.onlyIfCached, version: policy.version)))
    // What has delivered elements does not wait.
    return stored.following(
      value: { $0.adding(earlierAttempts: failed) },
      failure: { [self] unread, hasDelivered in
        record?.endAttempt(.failure(unread))
        if !hasDelivered { return next }
        return .fail(error.isOfRefresh ? error : recordFailure(error))
      })
  }
}
