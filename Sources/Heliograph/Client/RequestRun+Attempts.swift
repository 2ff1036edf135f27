import Foundation
import Signals

extension RequestRun {
  /// Returns the results of one step of the cache policy: one attempt after another.
  func run(_ step: CacheStep) -> Results {
    // Deferred, because a filter or a signer may block: monitors, the timeout and the fence begin before it.
    let results = Results.deferred { [self] in
      let readsCacheAlone = step.policy?.mode == .onlyIfCached
      if readsCacheAlone || retryLimit <= 0 && recoveries.isEmpty && !mayWait(step) {
        return attempt(step, resolved, 1, at: parts.offline.reachability.status).results
      }
      return attempts(step, AttemptPlan(refreshing: ownRefreshes))
    }
    // A stage: if the total timeout elapses while an attempt is built or delayed, a stored response may be delivered.
    return step.readsStoredFirst ? deadline?.staging(results) ?? results : results
  }

  /// Returns the results of the next attempt of a step, and of the attempts after its failure.
  func attempts(_ step: CacheStep, _ plan: AttemptPlan) -> Results {
    var plan = plan
    // Before the attempt takes its token.
    plan.refreshCounts = recoveries.map(\.refreshCount)
    plan.status = parts.offline.reachability.status
    let (results, context): (Results, AttemptContext?)
    do throws(NetworkError) {
      let (number, isFirst) = state.withLock { state in
        defer { state.hasBegun = true }
        return (state.failed.count + 1, !state.hasBegun && !step.isSecond)
      }
      if !isFirst { deadline?.activity = .preparing }
      // The token may have changed.
      let builder = parts.configuration.builder
      let now = isFirst ? resolved : try builder.resolve(source.makeRequest(), in: resolved.environment)
      (results, context) = attempt(step, now, number, at: plan.status)
    } catch {
      (results, context) = (.fail(error), nil)
    }
    return results.following(
      value: { [self] in recordResponse($0) },
      failure: { [self, plan] error, hasSent in
        waits(for: error, in: step, hasSent)
          ? waiting(plan, step, after: error)
          : successor(of: plan, step, after: recordFailure(error), hasSent, context)
      })
  }

  /// Returns the results after a failed attempt that does not wait for a network: a retry, a replay after a refresh, or
  /// the failure.
  private func successor(
    of plan: AttemptPlan, _ step: CacheStep, after error: NetworkError, _ hasSent: Bool, _ context: AttemptContext?
  ) -> Results {
    let plan = error.marks.isAfterProgress ? plan.advanced : plan
    var verdict: RetryVerdict?
    if retryLimit > 0 {
      let decided =
        hasSent
        ? RetryVerdict.delivered
        : parts.retry(for: resolved).verdict(
          before: plan.retryCount + 1, after: error, until: deadline,
          // A download that advances does not overload its server.
          error.marks.isAfterProgress ? nil : parts.configuration.retryBudget, context?.sharedRetry)
      record?.record(.retry(decided))
      verdict = decided
    }
    if let delay = verdict?.delay {
      deadline?.activity = .retryDelay
      let next = Results.deferred { [self] in attempts(step, plan.retried) }
      let scheduler = parts.configuration.scheduler
      return delay > .zero ? Signal<Void, NetworkError>.timer(after: delay, on: scheduler).then(next) : next
    }
    guard !hasSent, let index = recovery(for: error, plan) else {
      return .fail(verdict.map { parts.retry(for: resolved).naming($0, in: error) } ?? error)
    }
    let refresh = refresh(index, in: step, after: error, plan)
    if let refusal = error.replayRefusal(wasPassedOn: context?.wasPassedOn != false) {
      if !error.mayBeOfReceivedOrder {
        return refresh.flatMap { [self] in .fail($0 ?? refused(error, refusal).repaired) }
      }
      // The failure of the refresh would say that the order was not received.
      return refresh.catch { $0.code == .contextChanged ? .fail($0) : .just($0) }
        .flatMap { [self] in .fail($0 == nil ? refused(error, refusal).repaired : refused(error, refusal)) }
    }
    return refresh.flatMap { [self] error in
      if let error { return waiting(plan, step, after: error) }
      return attempts(step, plan.refreshed(by: index, at: recoveries[index].refresh.end(of: ownIdentity)))
    }
  }

  /// Returns the failure of a request that must not be sent again, after a refresh that helps the next requests.
  private func refused(_ error: NetworkError, _ refusal: RetryVerdict) -> NetworkError {
    record?.record(.retry(refusal))
    return error.naming(refusal)
  }

  /// Returns the index of the recovery that repairs a failure; `nil` if there is none, or if its refresh has not
  /// repaired it.
  private func recovery(for error: NetworkError, _ plan: AttemptPlan) -> Int? {
    let builder = parts.configuration.builder
    guard !error.isOfRefresh,
      // A rejection by another server, or by one that has not seen the credentials, does not concern the account.
      error.response?.head.hasLostCredentials != true,
      !builder.hasOrigins || error.response.map({ builder.owns($0.url) }) != false,
      let index = recoveries.firstIndex(where: { $0.matches(error, service: request.service) })
    else { return nil }
    let recovery = recoveries[index]
    return plan.allowsRefresh(by: index, at: recovery.refresh.now, (recovery.limit, recovery.window)) ? index : nil
  }

  /// Returns the wait for a refresh, which belongs to the identity of the request that begins it.
  ///
  /// It sends `nil` after the refresh, or the error of a refresh without a network if the request waits for one. It
  /// fails before the refresh reports its failure to the app.
  private func refresh(
    _ index: Int, in step: CacheStep, after error: NetworkError, _ plan: AttemptPlan
  ) -> Signal<NetworkError?, NetworkError> {
    deadline?.activity = .refresh
    record?.record(.refresh(after: error.cause))
    var refresh = recoveries[index].refreshed(
      as: ownIdentity, after: error, since: plan.refreshCounts[index]
    ) { [client, identity] in NetworkClient(client.refreshing(as: identity?.snapshot)) }
    if let fence = parts.fence, let identity {
      refresh = fence.guarding(refresh, for: identity.ofRefresh)
    }
    // A stage: if the total timeout elapses during the refresh, a stored response may still be delivered.
    if let deadline { refresh = deadline.staging(refresh, refreshingAfter: error) }
    return Signal { [self, refresh] observer in
      refresh.subscribe { [self] event in
        switch event {
        case .value: break
        case .completed: observer.complete(with: nil)
        case .failed(let error) where waits(for: error, in: step, false): observer.complete(with: error)
        case .failed(let error): observer.fail(error)
        }
      }
    }
  }

  private var ownIdentity: Identity { identity?.snapshot.identity ?? Identity() }

  /// Returns the response of an attempt with the earlier attempts.
  private func recordResponse(_ response: Response<Data>) -> Response<Data> {
    let isOfNetwork = response.source.isOfNetwork
    let (earlier, isFirst) = state.withLock { ($0.failed.attempts, isOfNetwork && $0.hasFedBudget.claim()) }
    if isFirst, retryLimit > 0 { parts.configuration.retryBudget?.deposit() }
    return earlier.isEmpty ? response : response.adding(earlierAttempts: earlier)
  }

  /// Records the failure of an attempt, and returns it with the earlier attempts.
  func recordFailure(_ error: NetworkError) -> NetworkError {
    record?.endAttempt(.failure(error))
    let failed = Metrics.Attempt(error)
    let isOfNetwork = error.isOfNetwork
    let (earlier, all, isFirst) = state.withLock { state in
      let earlier = state.failed.attempts
      state.failed.append(failed)
      return (earlier, state.failed.attempts, isOfNetwork && state.hasFedBudget.claim())
    }
    deadline?.failedAttempts = all
    if isFirst, retryLimit > 0 { parts.configuration.retryBudget?.deposit() }
    var error = error
    if isStreamSpent { error.marks.hasSpentBody = true }
    if !earlier.isEmpty { error.metrics = error.metrics.adding(earlierAttempts: earlier) }
    return error
  }
}

extension ResponseSource {
  fileprivate var isOfNetwork: Bool { self == .network || self == .revalidated }
}

extension NetworkError {
  /// The reason why the request is not sent again although its rejection can be repaired; `nil` if it is.
  ///
  /// A request that is not idempotent is sent again only with evidence that no server has received it: middleware has
  /// not passed it on, or its first exchange failed before a connection was established.
  fileprivate func replayRefusal(wasPassedOn: Bool) -> RetryVerdict? {
    if isBodySpent { return .bodySpent }
    // The page to which a redirect led was rejected, or the work of middleware after the exchange, not the order.
    let isAfterOrder = marks.isAfterOrder && request?.isIdempotent == false
    if response?.head.isAfterEffect == true || isAfterOrder { return .notIdempotent }
    guard mayHaveNoResponse, request?.isIdempotent == false, wasPassedOn else { return nil }
    let isEarly = attribution.evidence?.phase.map { [.resolving, .connecting, .tlsHandshake].contains($0) } == true
    // Another exchange preceded one with a first path.
    return isEarly && marks.firstPath == nil && metrics?.isUnsent != false ? nil : .notIdempotent
  }

  /// Whether the server may have processed a request that is not idempotent although it failed.
  fileprivate var mayBeOfReceivedOrder: Bool {
    request?.isIdempotent == false && (marks.isAfterOrder || mayHaveNoResponse)
  }

  /// Whether the exchange failed before the server rejected the request; the body of a rejection may be broken.
  private var mayHaveNoResponse: Bool { domain == .network && brokenStatus == nil }

  /// Whether the response came from the server, or the exchange of this request failed through no fault of the client.
  fileprivate var isOfNetwork: Bool {
    response?.source.isOfNetwork ?? (domain == .network && attribution.party != .client && !marks.isShared)
  }
}

extension Response<Data> {
  func adding(earlierAttempts attempts: [Metrics.Attempt]) -> Response {
    updatingDetails { $0.metrics = $0.metrics.adding(earlierAttempts: attempts) }
  }
}
