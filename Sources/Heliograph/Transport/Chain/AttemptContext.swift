import Foundation
import Signals
import Synchronization

/// One attempt of a request, as seen by the stages of a client's chain.
final class AttemptContext: Sendable {
  /// The requests that middleware has passed on.
  private struct Passes {
    /// Whether the last one is not idempotent.
    var isOrder = false
    var hasEarlierOrder = false
  }

  /// The resolved request, to check the origins that middleware redirects to; `nil` for a plain attempt.
  let resolved: ResolvedRequest?
  let step: CacheStep
  /// The middleware of the client, the service and the request.
  let middleware: [any Middleware]
  /// The network status when the request was built; a request without a network may be unsigned.
  let status: ReachabilityStatus
  /// The properties that must be equal for requests to share an exchange; `nil` if the request shares none.
  let sharing: SharingScope?
  /// The decision whether a received response is stored; `nil` without a cache policy.
  let decision: StoreDecision?
  /// The run to which the attempt belongs; `nil` if nothing is reported to it.
  let run: (any AttemptObserver)?
  private let openRecorder: (any AttemptRecorder)?
  /// Whether the attempt has failed; an exchange that it shares may go on for others.
  private let hasFailed = Atomic(false)
  private let isTraced: Bool
  private let adaptedRequest = Guarded<HTTPRequest?>(nil)
  private let passes = Guarded(Passes())
  /// Whether the transport has responded to the request that middleware has passed on last.
  private let hasHead = Atomic(false)
  private let retry = Guarded<SharedRetry?>(nil)

  init(
    _ resolved: ResolvedRequest? = nil, step: CacheStep = CacheStep(), middleware: [any Middleware] = [],
    at status: ReachabilityStatus, sharing: SharingScope? = nil, decision: StoreDecision? = nil,
    run: (any AttemptObserver)? = nil, isTraced: Bool = false
  ) {
    self.resolved = resolved
    self.step = step
    self.middleware = middleware
    self.status = status
    self.sharing = sharing
    self.decision = decision
    self.run = run
    openRecorder = run?.recorder
    self.isTraced = isTraced
  }

  /// The recorder of the run; `nil` if the run has none, or if the attempt has failed.
  var recorder: (any AttemptRecorder)? { hasFailed.load(ordering: .relaxed) ? nil : openRecorder }

  /// Ends the recording of the attempt, whose failure is delivered to its run.
  func fail() { hasFailed.store(true, ordering: .relaxed) }

  /// The run, if it records or marks the attempt's responses.
  var collector: (any AttemptObserver)? { step.isPreliminary || step.isSecond || recorder != nil ? run : nil }

  /// The request as changed by the cache, middleware and trace context; `nil` if nothing has changed it.
  var adapted: HTTPRequest? { canAdapt ? adaptedRequest.withLock { $0 } : nil }

  /// Whether a request was passed to the transport; otherwise its middleware has responded, or failed.
  var wasPassedOn: Bool { middleware.isEmpty || adapted != nil }

  /// Whether the transport has responded; always `true` without middleware, which may respond by itself.
  var hasResponse: Bool { middleware.isEmpty || hasHead.load(ordering: .acquiring) }

  /// Whether middleware has passed on a request that is not idempotent, which a server may have received, before the
  /// last one: that alone says nothing about the order.
  var hasEarlierOrder: Bool { !middleware.isEmpty && passes.withLock { $0.hasEarlierOrder } }

  private var canAdapt: Bool { decision != nil || !middleware.isEmpty || isTraced }

  /// The retry decision that the members of the shared exchange have in common; `nil` without such an exchange.
  var sharedRetry: SharedRetry? { sharing == nil ? nil : retry.withLock { $0 } }

  /// Returns a request with a new signature if an ``HMACSigner`` signs it: a server rejects a nonce that it has
  /// received.
  func resigned(_ request: HTTPRequest) throws(NetworkError) -> HTTPRequest {
    guard request.context.unsignedFields != nil, resolved?.signer is HMACSigner, let run else { return request }
    return try run.rebuild(request, of: self)
  }

  /// Records that the attempt has an exchange that may be shared.
  func share(_ retry: SharedRetry) { self.retry.set(retry) }

  /// Records that middleware passes a request on.
  func beginPass(_ request: HTTPRequest) {
    passes.withLock { passes in
      if passes.isOrder { passes.hasEarlierOrder = true }
      passes.isOrder = !request.isIdempotent
    }
    recordHead(false)
  }

  /// Records that nothing of the request that middleware has passed on last was sent.
  func dropPass() { passes.withLock { $0.isOrder = false } }

  /// Records whether the transport has responded to the request that middleware has passed on last.
  func recordHead(_ hasHead: Bool = true) { self.hasHead.store(hasHead, ordering: .releasing) }

  /// Records the request as sent, by this attempt or by the first one of a shared exchange.
  func adapt(to request: HTTPRequest) {
    if canAdapt { adaptedRequest.set(request) }
  }
}

/// One step of a request's cache policy: the cache, the network, or both by the rules of HTTP.
struct CacheStep: Sendable {
  /// The policy of the step; `nil` without a cache.
  var policy: CachePolicy?
  /// Whether another step's response follows this one.
  var isPreliminary = false
  /// Whether another step's response precedes this one.
  var isSecond = false
  /// Whether a stored response is delivered before the request waits for a network.
  var readsStoredFirst = false
}

/// The record of a request for monitors, as the chain's stages use it.
protocol AttemptRecorder: AnyObject, Sendable {
  var log: RunLog { get }

  /// Records that an attempt begins with the request as built.
  func beginAttempt(_ request: HTTPRequest)
  /// Records that a request is sent, after all middleware.
  func send(_ request: HTTPRequest)
  /// Records a redirect, and the request that follows it.
  func follow(_ request: HTTPRequest, _ head: HTTPResponse, by next: HTTPRequest)
  /// Records the head of the delivered response.
  func respond(_ head: HTTPResponse)
  func recordCache(_ event: CacheEvent, of request: HTTPRequest)
  /// Records a decision that has no event of its own.
  func record(_ entry: RunHistory.Entry)
}

/// The run of a request, as the observer of the chain's stages.
protocol AttemptObserver: AnyObject, Sendable {
  /// The recorder of the run; `nil` if monitors do not observe the request.
  var recorder: (any AttemptRecorder)? { get }
  /// Whether ``receive(_:of:)`` has an effect.
  var isWatched: Bool { get }

  func receive(_ event: TransportEvent, of request: HTTPRequest)
  /// Reports a response, or a piece of one, to the attempt's collector, before it is read or delivered.
  ///
  /// It is marked by its relation to that of another step; `isLast` says whether it ends the exchange.
  func collect(_ response: inout Response<Data>, isLast: Bool, in step: CacheStep)
  /// Builds the request of an attempt again, with a new signature.
  func rebuild(_ request: HTTPRequest, of attempt: AttemptContext) throws(NetworkError) -> HTTPRequest
  /// Starts a request in the background that replaces a stale response, and ends the refresh with it.
  func refreshStored(_ refresh: EndAction)
}

/// The context of an exchange in a client's chain: the attempt, the scope and the receiver of the events.
struct ExchangeContext: Sendable {
  typealias Receive = @Sendable (Event<TransportEvent, NetworkError>) -> Void

  /// The attempt to which the exchange belongs; `nil` outside of a client.
  var attempt: AttemptContext?
  /// The log of the requests sent, for the cache; `nil` if the response is not stored.
  var log: SendLog?
  /// Cancels the exchange.
  let scope: Disposable
  /// The back-pressure of the consumer; `nil` if it never pauses.
  var pressure: Pressure?
  /// Receives the events; it ignores those after the end.
  let receive: Receive

  func receiving(_ receive: @escaping Receive) -> ExchangeContext {
    ExchangeContext(attempt: attempt, log: log, scope: scope, pressure: pressure, receive: receive)
  }
}

/// The properties besides the HTTP request that must be equal for requests to share an exchange.
struct SharingScope: Hashable, Sendable {
  /// The service, which determines the middleware.
  let service: ServiceID?
  let isSigned: Bool
  /// The trust level of the address, which also determines the middleware.
  let originTrust: ResolvedRequest.OriginTrust
  /// The change counters of account and environment, so that no exchange is shared across a change.
  let account: Int
  let environment: Int
  /// Whether a change of environment ends the request and thus the exchange.
  let needsEnvironment: Bool
  /// The number of token refreshes before the request, because later requests have another token.
  let refreshCount: Int
  /// Whether the request belongs to a token refresh, which does not wait for an exchange in a queue.
  var isOfRefresh = false
  /// The number of unsafe requests that ended before the request, so that no response from before a write is shared.
  var writeCount = 0
  let ignoredParameters: Set<String>
  /// The cookies of the request, which may be credentials.
  let cookie: String?
}
