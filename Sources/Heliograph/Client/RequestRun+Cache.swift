import Foundation
import Signals

extension RequestRun {
  /// Returns the results of the cache policy's steps, in order.
  @inline(__always)
  func steps() -> Results {
    if !policy.isActive { return run(CacheStep()) }
    let stored = CachePolicy(.onlyIfCached, version: policy.version)
    let network = CachePolicy(.refresh, version: policy.version)
    switch policy.mode {
    case .cacheThenNetwork where !source.traits.expectsOneValue:
      return run(CacheStep(policy: stored, isPreliminary: true)).catch { _ in .empty }
        .concat(run(CacheStep(policy: network, isSecond: true)))
    case .cacheThenNetwork, .networkThenCache: return orStored(CacheStep(policy: network))
    case .timeToLive(_, orStored: true): return orStored(CacheStep(policy: policy))
    default: return run(CacheStep(policy: policy))
    }
    /// Returns the stored response after an outage, or else the network's error.
    func orStored(_ step: CacheStep) -> Results {
      run(step).catch { [self] error in
        guard error.isOutage else { return .fail(error) }
        return run(CacheStep(policy: stored)).catch { _ in .fail(error) }
      }
    }
  }

  /// Returns the results of an attempt whose response is stored when it has been read.
  func stored(
    _ results: Results, by decision: StoreDecision, _ request: HTTPRequest, _ resolved: ResolvedRequest,
    _ step: CacheStep, at status: ReachabilityStatus
  ) -> Results {
    // A single stage, because every cached request has it: `on` and `catch` would look up the metadata of their types.
    Results { [self] observer in
      let scope = Disposable()
      observer.hold(scope)
      results.subscribe(in: scope, under: observer.pressure) { event in
        switch event {
        case .value, .completed: decision.accept()
        case .failed(let error):
          decision.reject(isUnreadable: error.isAboutContent)
          guard decision.isUnreadable, error.isAboutContent, let policy = step.policy, policy.mode != .onlyIfCached
          else {
            break
          }
          // The stored response was written by another version of the app and has been removed.
          let again = self.replaced(request, resolved, step, policy, at: status)
          return again.subscribe(in: scope, under: observer.pressure) { observer.send($0) }
        }
        observer.send(event)
      }
      return nil
    }
  }

  /// Returns the results of an attempt that replaces an unreadable stored response.
  private func replaced(
    _ request: HTTPRequest, _ resolved: ResolvedRequest, _ step: CacheStep, _ policy: CachePolicy,
    at status: ReachabilityStatus
  ) -> Results {
    var again = step
    again.policy = policy.isHTTP ? policy.afterFailure : CachePolicy(.reload, version: policy.version)
    do throws(NetworkError) {
      // A signature may be used only once.
      var next = resolved.signer == nil ? request : try build(again, resolved, request.attempt, at: status)
      next.cachePolicy = again.policy ?? .none
      return send(next, resolved, again, at: status)
    } catch {
      return .fail(error)
    }
  }
}

extension EnvironmentStore.State {
  /// The environment with its address, as a part of keys.
  var text: String { "\(environment.rawValue) \(customAddress?.absoluteString ?? "")" }
}

extension NetworkError {
  /// Whether the content of a response caused the error.
  fileprivate var isAboutContent: Bool { domain == .processing || domain == .api }
}
