import Foundation
import Signals

/// One subscription of a request: its state, and the path of its attempts.
///
/// `RequestRun+Cache` has the steps of a cache policy, `RequestRun+Attempts` the attempts of a step,
/// `RequestRun+Waiting` their waits for a network, `RequestRun+Sending` builds and sends one, and
/// `RequestRun+Reporting` reports. The value that a reader decodes is a ``ReadValue`` in the response.
final class RequestRun: Sendable {
  typealias Results = Signal<Response<Data>, NetworkError>

  let source: RequestSource
  /// The request as it was when the run began.
  let resolved: ResolvedRequest
  /// The identity of the request until it terminates; `nil` in a client without identities.
  let identity: BoundIdentity?
  /// The record for monitors; `nil` without monitors.
  let record: RequestRecord?
  /// The context shared by the requests of all attempts.
  let context: RequestContext
  let policy: CachePolicy
  let recoveries: [Recovery]
  /// The indices of the recoveries whose refresh the request is part of, so that it does not wait for it; later steps
  /// of the cache policy begin on other threads.
  let ownRefreshes: [Int]
  let retryLimit: Int
  let waitsForNetwork: Bool
  let state = Guarded(RunState())

  var client: ClientScope { source.client }
  var parts: ClientParts { source.client.parts }
  var request: Request { resolved.request }
  var deadline: Deadline? { context.deadline }

  init(
    _ source: RequestSource, _ resolved: ResolvedRequest, _ identity: IdentitySnapshot?, _ record: RequestRecord?
  ) {
    let (parts, request) = (source.client.parts, resolved.request)
    self.source = source
    self.record = record
    self.resolved = resolved
    // A change of environment fails a request to a service, and every request of a refresh.
    let needsEnvironment = source.client.isRefreshing || resolved.hasService
    self.identity = identity.map { BoundIdentity($0, needsEnvironment: needsEnvironment) }
    let recoveries =
      source.client.isRefreshing || !request.options.allowsRecovery ? [] : parts.configuration.recoveries
    self.recoveries = recoveries
    ownRefreshes = recoveries.indices.filter { recoveries[$0].refresh.isInsideRefresh }
    // A stored token would count as a fresh one.
    let isUncached = source.traits.isStreamed || source.client.isRefreshing && resolved.inheritsCachePolicy
    policy = isUncached ? .none : resolved.cachePolicy
    retryLimit =
      request.options.retry?.limit ?? resolved.ofService { $0.retry?.limit } ?? parts.configuration.retry.limit
    waitsForNetwork =
      request.options.waitsForConnectivity ?? resolved.ofService { $0.waitsForConnectivity }
      ?? parts.configuration.waitsForConnectivity
    record?.log.limitRetries(to: retryLimit)
    let totalTimeout =
      request.options.totalTimeout ?? resolved.ofService { $0.totalTimeout } ?? parts.configuration.totalTimeout
    // A request that may change something invalidates stored responses, also those that are stored while it runs. A
    // background session compares every request with those of earlier processes.
    let needsCacheContext =
      policy.isActive || request.method.mayChange || resolved.ofService { $0.ignoredParameters }?.isEmpty == false
      || !resolved.signatureParameters.isEmpty
    let cache = needsCacheContext ? Self.cacheContext(of: resolved, identity, parts) : nil
    var context = RequestContext(
      id: record?.id ?? source.traits.id ?? .next(),
      deadline: totalTimeout.map { Deadline(after: $0, on: parts.configuration.scheduler) },
      idempotencyKey: request.options.idempotencyKey?.makeText())
    context.isStreamed = source.traits.isStreamed
    context.isObserved = record != nil
    context.binding = RequestBinding(
      identity: identity, jar: identity?.jar ?? parts.jar, needsEnvironment: needsEnvironment)
    context.cache = cache
    self.context = context
  }

  static func cacheContext(
    of resolved: ResolvedRequest, _ identity: IdentitySnapshot?, _ parts: ClientParts
  ) -> CacheContext {
    CacheContext(
      account: identity?.identity.account, environment: identity?.environmentText,
      service: resolved.service?.id.rawValue, ignoredParameters: resolved.ofService { $0.ignoredParameters } ?? [],
      signatureParameters: resolved.signatureParameters, hasSigner: resolved.ofService { $0.signer } != nil,
      isSigned: resolved.isSignedByService, hasAccounts: parts.configuration.account != nil,
      redirectLimit: parts.configuration.redirectLimit)
  }

  /// Returns the whole path of the request, in the order of the diagram in `Docs/Architecture.md`.
  ///
  /// An attempt is built, sent through the chain of ``ClientParts``, collected and read.
  func signal() -> Results {
    var results = steps()
    if identity != nil || deadline != nil {
      // The fence and the total timeout in one stage, because most requests have both. The fence retains the stage,
      // even if the source was dropped, so it must not retain the run.
      results = results.interrupted(
        check: { [identity] own in own.map(\.staleFailure) ?? identity?.staleFailure },
        enter: { [deadline, identity, fence = parts.fence] key, fail in
          if let deadline { deadline.start { fail(deadline.failureOutsideAttempts()) } }
          if let identity { fence?.enter(key, for: identity, fail) }
        },
        leave: { [deadline, fence = parts.fence] key in
          deadline?.stop()
          fence?.leave(key)
        })
    }
    return client.reported(results, request, resolved.service, record, identity)
  }
}

struct RunState: Sendable {
  /// The failed attempts, for the metrics of the result.
  var failed = AttemptSeries()
  /// Whether an attempt has begun; each further one resolves the request again.
  var hasBegun = false
  /// The body of the stored response, to compare with the network's.
  var storedBody: Data?
  /// Whether a stored response was delivered before the network's.
  var hasDeliveredStored = false
  /// The body of the latest attempt's request if it is a stream, as it was before middleware and redirects.
  var stream: HTTPBody?
  var hasSent = false
  /// Whether the run has claimed its share of the retry budget.
  var hasFedBudget = false
}

extension Bool {
  /// Sets the flag; returns whether it was not set before.
  mutating func claim() -> Bool {
    defer { self = true }
    return !self
  }
}
