import Foundation
import Signals

extension Core {
  /// Returns the cache policy of a request; a body in pieces is neither stored nor read from the cache.
  func cachePolicy(for resolved: ResolvedRequest, isStreamed: Bool) throws(NetworkError) -> CachePolicy {
    let policy = configuration.builder.cachePolicy(for: resolved)
    if !isStreamed { return policy }
    if policy.mode != .onlyIfCached { return .none }
    throw NetworkError(.notCached, reason: "a body in pieces is never in the cache")
  }

  /// Returns the parts of a request with a cache policy, in their order.
  func cached<Result: Sendable>(
    _ policy: CachePolicy, _ expectsOneValue: Bool, _ read: @escaping Read<Result>,
    _ part: @escaping @Sendable (CachePolicy, @escaping Read<Result>) -> Signal<Response<Result>, NetworkError>
  ) -> Signal<Response<Result>, NetworkError> {
    let stored = CachePolicy(.onlyIfCached, version: policy.version)
    let network = CachePolicy(.refresh, version: policy.version)
    switch policy.mode {
    case .cacheThenNetwork where !expectsOneValue:
      let first = FirstBody()
      let before = part(stored) { response, request, resolved in
        read(response.map { first.note($0) }, request, resolved)
      }
      let after = part(network) { response, request, resolved in
        read(response.map { first.compare($0) }, request, resolved)
      }
      return before.catch { _ in .empty }.concat(after)
    case .cacheThenNetwork, .networkThenCache: return orStored(part(network, read))
    case .timeToLive(_, orStored: true): return orStored(part(policy, read))
    default: return part(policy, read)
    }
    /// The stored response after an outage; without one the error of the network.
    func orStored(_ response: Signal<Response<Result>, NetworkError>) -> Signal<Response<Result>, NetworkError> {
      response.catch { error in error.isOutage ? part(stored, read).catch { _ in .fail(error) } : .fail(error) }
    }
  }

  /// Returns an attempt that passes the cache; its response is stored when it has been read.
  func caching<Result: Sendable>(
    _ request: HTTPRequest, _ resolved: ResolvedRequest, at status: ReachabilityStatus, _ scope: AttemptScope,
    _ policy: CachePolicy, _ read: @escaping Read<Result>
  ) -> Signal<Response<Result>, NetworkError> {
    var request = request
    request.cachePolicy = request.attempt > 1 ? policy.afterFailure : policy
    // It is a part of the key.
    request.redirects = request.redirects ?? configuration.redirects
    let decision = StoreDecision()
    request.context.cache = cacheContext(of: request, resolved, scope, decision) { [self] ended in
      refresh(resolved.request, policy, read, ended)
    }
    let result = read(exchange(request, resolved, at: status, scope), request, resolved).on(
      value: { _ in decision.accept() }, failure: { decision.reject(isUnreadable: $0.isAboutContent) },
      completion: { decision.accept() })
    let whole =
      policy.mode == .onlyIfCached
      ? result
      : result.catch { [self, request] error in
        // The stored response was written by another version of the app: it is gone now.
        guard decision.isUnreadable, error.isAboutContent else { return .fail(error) }
        let again = policy.isHTTP ? policy.afterFailure : CachePolicy(.reload, version: policy.version)
        do throws(NetworkError) {
          // A signature counts once.
          let next = resolved.signer == nil ? request : try build(resolved, for: request.context, at: status, scope)
          return caching(next, resolved, at: status, scope, again, read)
        } catch {
          return .fail(error)
        }
      }
    return scope.record?.watching(whole, attempt: request) ?? whole
  }

  /// Returns what the cache has to know of a request besides itself.
  private func cacheContext(
    of request: HTTPRequest, _ resolved: ResolvedRequest, _ scope: AttemptScope, _ decision: StoreDecision,
    _ refresh: @escaping CacheContext.Refresh
  ) -> CacheContext {
    var observe: (@Sendable (CacheEvent) -> Void)?
    if let record = scope.record { observe = { record.note($0, of: request) } }
    let identity = scope.identity?.snapshot.identity
    return CacheContext(
      account: identity?.account, environment: identity?.environment?.text, service: resolved.service?.id.rawValue,
      ignoredParameters: resolved.service?.ignoredParameters ?? [], hasAccounts: configuration.account != nil,
      cookie: cookie, decision: decision, observe: observe, refresh: refresh)
  }

  /// Starts a request in the background that replaces a stale response.
  private func refresh<Result: Sendable>(
    _ request: Request, _ policy: CachePolicy, _ read: @escaping Read<Result>, _ ended: @escaping @Sendable () -> Void
  ) -> Disposable {
    var request = request
    request.options.cache = policy.afterFailure
    request.options.presentation = .silent
    request.options.priority = .low
    return begin(request, read).subscribe { event in
      if case .value = event { return }
      ended()
    }
  }
}

extension RequestContext {
  /// Returns the context of a request with a policy: one for the cache alone has no deadline.
  ///
  /// The stored response is delivered also if the total timeout has cut off the response of the network, within the grace
  /// of the deadline.
  func following(_ policy: CachePolicy) -> RequestContext {
    guard policy.mode == .onlyIfCached else { return self }
    var context = self
    context.deadline = nil
    return context
  }
}

/// The body of the first of two responses, to compare the second one with.
private final class FirstBody: Sendable {
  private let data = Guarded<Data?>(nil)

  /// Keeps the body of the first response and returns the response, marked as preliminary.
  func note(_ response: Response<Data>) -> Response<Data> {
    data.withLock { $0 = response.value }
    return response.detailed { $0.isPreliminary = true }
  }

  /// Returns a later response, marked if it has the same body; there may be several, as after a retry.
  func compare(_ response: Response<Data>) -> Response<Data> {
    guard let first = data.withLock({ $0 }), first == response.value else { return response }
    return response.detailed { $0.isUnchanged = true }
  }
}

extension EnvironmentStore.State {
  /// The environment with its address, as a part of keys.
  var text: String { "\(environment.rawValue) \(customAddress?.absoluteString ?? "")" }
}

extension NetworkError {
  /// Whether the content of a response has caused it.
  fileprivate var isAboutContent: Bool { domain == .processing || domain == .api }
}

/// The network status at the time when a request was built: without a network it was not signed.
struct KnownReachability: Reachability {
  let status: ReachabilityStatus

  var changes: Signal<ReachabilityStatus, Never> { .just(status) }
}
