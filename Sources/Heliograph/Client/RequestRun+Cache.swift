import Foundation
import Signals

extension RequestRun {
  /// Returns the results of the cache policy's steps, in order.
  @inline(__always)
  func steps() -> Results {
    if source.traits.isStreamed, resolved.cachePolicy.mode == .onlyIfCached {
      return .fail(NetworkError(.notCached, reason: "streamed responses are not cached"))
    }
    if !policy.isActive { return run(CacheStep()) }
    let stored = CachePolicy(.onlyIfCached, version: policy.version)
    let network = CachePolicy(.refresh, version: policy.version)
    switch policy.mode {
    case .cacheThenNetwork where !source.traits.expectsOneValue:
      return run(CacheStep(policy: stored, isPreliminary: true)) { _ in .empty }
        .concat(
          .deferred { [self] in
            // Without effect if the step has failed. The next one may fail before it begins an attempt.
            record?.endAttempt(.success)
            return run(CacheStep(policy: network, isSecond: true))
          })
    case .cacheThenNetwork, .networkThenCache: return orStored(CacheStep(policy: network))
    case .timeToLive(_, orStored: true): return orStored(CacheStep(policy: policy))
    default: return run(CacheStep(policy: policy))
    }
    /// Returns the stored response after an outage, or else the network's error.
    func orStored(_ step: CacheStep) -> Results {
      var step = step
      step.readsStoredFirst = true
      let hasSent = Once()
      // Not `following`: a filter or a signer may block the start of the step beyond the timeout, and the stored response
      // does not wait for it.
      return run(step).replacingFailure { [self] event in
        switch event {
        case .completed: return nil
        case .value:
          hasSent.claim()
          return nil
        case .failed(let error):
          record?.endAttempt(.failure(error))
          if hasSent.isClaimed || !error.isOutage { return nil }
          let failed = state.withLock { $0.failed.attempts }
          let last = run(CacheStep(policy: stored)) { _ in .fail(error) }
            .map { $0.adding(earlierAttempts: failed.isEmpty ? [Metrics.Attempt(error)] : failed) }
          // Not on the clock's thread, because the filters run again and may block again.
          return deadline?.hasPassed == true ? last.subscribe(on: parts.processing) : last
        }
      }
    }
  }

  private func run(_ step: CacheStep, orElse handler: @escaping @Sendable (NetworkError) -> Results) -> Results {
    run(step).catch { [record] error in
      record?.endAttempt(.failure(error))
      return handler(error)
    }
  }

  /// Returns the results of an attempt whose response is stored when it has been read.
  func stored(_ attempt: BuiltAttempt, by decision: StoreDecision) -> Results {
    source.read(attempt).replacingFailure { [self] event in
      switch event {
      case .value, .completed:
        decision.accept()
        if attempt.context.step.isPreliminary { state.withLock { $0.hasDeliveredStored = true } }
        return nil
      case .failed(let error):
        let isAboutContent = error.domain == .processing || error.domain == .api
        decision.reject(isUnreadable: isAboutContent)
        guard decision.isUnreadable, isAboutContent, let again = replacement(of: attempt) else { return nil }
        // The stored response was written by another version of the app and has been removed.
        record?.endAttempt(.failure(error))
        return again
      }
    }
  }

  /// Returns the results of an attempt that replaces an unreadable stored response; `nil` without a network part.
  private func replacement(of attempt: BuiltAttempt) -> Results? {
    var step = attempt.context.step
    guard let policy = step.policy, policy.mode != .onlyIfCached else { return nil }
    step.policy = policy.isHTTP ? policy.afterFailure : CachePolicy(.reload, version: policy.version)
    deadline?.activity = .preparing
    return self.attempt(step, attempt.resolved, attempt.request.attempt, at: attempt.context.status).results
  }
}

extension EnvironmentStore.State {
  /// The environment with its address, as a component of keys.
  var text: String { "\(environment.rawValue) \(customAddress?.absoluteString ?? "")" }
}
