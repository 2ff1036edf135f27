import Foundation
import Signals

extension RequestRun {
  /// Whether a step has a single attempt: it reads the cache alone, or has neither retries nor recoveries.
  func hasSingleAttempt(_ step: CacheStep) -> Bool {
    if step.policy?.mode == .onlyIfCached { return true }
    return parts.retryLimit(for: resolved) <= 0 && recoveries.isEmpty
  }

  /// Returns one attempt of a step per subscription; its failure includes the earlier attempts.
  func attempts(_ step: CacheStep) -> Results {
    let one = Results.deferred { [self] in
      recordRefreshCounts()
      do throws(NetworkError) {
        let (number, isFirst) = state.withLock { state in
          defer { state.hasBegun = true }
          return (state.failed.count + 1, !state.hasBegun && !step.isSecond)
        }
        // The token may have changed.
        let now = isFirst ? resolved : try parts.configuration.builder.resolve(try source.makeRequest())
        return attempt(step, now, number)
      } catch {
        return .fail(error)
      }
    }
    return one.map { [self] response in
      let isOfNetwork = response.source.isOfNetwork
      let (earlier, isFirst) = state.withLock { ($0.failed, isOfNetwork && $0.claimBudgetShare()) }
      if isFirst { feedRetryBudget() }
      return earlier.isEmpty ? response : response.updatingDetails { $0.metrics = $0.metrics.following(earlier) }
    }
    .mapError { [self] error in
      record?.endAttempt(.failure(error))
      // A replay after a recovery, unless the request is retried.
      deadline?.activity = .refresh
      let failed = Metrics.Attempt(error)
      let isOfNetwork = error.isOfNetwork
      let (earlier, isFirst) = state.withLock { state in
        defer { state.failed.append(failed) }
        return (state.failed, isOfNetwork && state.claimBudgetShare())
      }
      if isFirst { feedRetryBudget() }
      var error = error
      if isStreamSpent { error.isBodySpent = true }
      if !earlier.isEmpty { error.metrics = error.metrics.following(earlier) }
      return error
    }
  }

  /// Adds the share of the run to the retry budget, if the request may be retried.
  private func feedRetryBudget() {
    if parts.retryLimit(for: resolved) > 0 { parts.configuration.retryBudget?.deposit() }
  }

  /// Returns the attempts with retries by the rules.
  func retried(_ attempts: Results) -> Results {
    let report = record.map { record in { @Sendable in record.record(.retry($0)) } }
    return attempts.retrying(
      parts.retry(for: resolved), budget: parts.configuration.retryBudget, until: deadline,
      on: parts.configuration.scheduler, reporting: report)
  }

  /// Returns the attempts with replays after a refresh.
  func recovered(_ attempts: Results) -> Results {
    recoveries.indices.reduce(attempts) { results, index in
      recoveries[index].recovering(results, for: request.service, in: recoveryContext(index))
    }
  }

  /// Returns the context of a recovery: a refresh belongs to the identity of the request that begins it.
  private func recoveryContext(_ index: Int) -> Recovery.Context {
    var context = Recovery.Context(
      refreshCount: { [self] in state.withLock { $0.refreshCounts[index] } },
      client: { [client, identity] in NetworkClient(client.refreshing(as: identity?.snapshot)) })
    context.preceding = recoveries[..<index]
    if parts.configuration.builder.hasOrigins { context.owns = { [parts] in parts.configuration.builder.owns($0) } }
    if let record { context.report = { record.record(.refresh(after: $0.cause)) } }
    // A stage: if the total timeout elapses during the refresh, a stored response may still be delivered.
    if let deadline { context.guarding = { deadline.staging($0) } }
    if let fence = parts.fence, let identity {
      let guarding = context.guarding
      context.identity = identity.snapshot.identity
      context.guarding = { guarding(fence.guarding($0, for: identity, needsEnvironment: true)) }
    }
    return context
  }
}

extension ResponseSource {
  /// Whether the response came from the server, to this request.
  fileprivate var isOfNetwork: Bool { self == .network || self == .revalidated }
}

extension NetworkError {
  /// Whether the response came from the server, or the exchange of this request failed through no fault of the client.
  fileprivate var isOfNetwork: Bool {
    response?.source.isOfNetwork ?? (domain == .network && attribution.party != .client && !isShared)
  }
}

extension Response<Data> {
  /// Returns the response, which replaces a failure, with the failed attempts in its metrics.
  func following(_ attempts: [Metrics.Attempt]) -> Response {
    updatingDetails { $0.metrics = $0.metrics.following(attempts) }
  }
}

extension Metrics? {
  /// Returns the metrics with the earlier attempts.
  fileprivate func following(_ earlier: [Metrics.Attempt]) -> Metrics {
    var metrics = self ?? Metrics()
    metrics.earlierAttempts = earlier + metrics.earlierAttempts
    return metrics
  }
}
