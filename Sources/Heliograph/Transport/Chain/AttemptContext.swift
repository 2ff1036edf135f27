import Signals

/// One attempt of a request, as the stages of a client's chain see it.
final class AttemptContext: Sendable {
  /// The request before it was built, for the origins that middleware may lead to; `nil` for a plain attempt.
  let resolved: ResolvedRequest?
  /// The middleware of the client, the service and the request.
  let middleware: [any Middleware]
  /// The network status when the request was built: without a network it was not signed.
  let status: ReachabilityStatus
  /// What two requests must have in common to share an exchange; `nil` if the request shares none.
  let sharing: SharingScope?
  /// The decision whether a received response is stored; `nil` without a cache policy.
  let decision: StoreDecision?
  /// The run to which the attempt belongs; `nil` if nothing is reported to it.
  let run: (any AttemptObserver)?
  private let adaptedRequest = Guarded<HTTPRequest?>(nil)

  init(
    _ resolved: ResolvedRequest?, middleware: [any Middleware], at status: ReachabilityStatus, sharing: SharingScope?,
    decision: StoreDecision?, run: (any AttemptObserver)?
  ) {
    self.resolved = resolved
    self.middleware = middleware
    self.status = status
    self.sharing = sharing
    self.decision = decision
    self.run = run
  }

  /// Creates the context of all attempts at a status that have none of these: most requests need no other.
  convenience init(plainAt status: ReachabilityStatus) {
    self.init(nil, middleware: [], at: status, sharing: nil, decision: nil, run: nil)
  }

  /// The request as changed by the cache and all middleware; `nil` before, or if there are none.
  var adapted: HTTPRequest? { canAdapt ? adaptedRequest.withLock { $0 } : nil }

  /// Whether the request may be sent otherwise than it was built.
  private var canAdapt: Bool { decision != nil || !middleware.isEmpty }

  /// Reports that a request is sent, after all middleware.
  func send(_ request: HTTPRequest) {
    if canAdapt {
      // Released outside the lock.
      let former = adaptedRequest.withLock { adapted in
        defer { adapted = request }
        return adapted
      }
      withExtendedLifetime(former) {}
    }
    run?.send(request)
  }
}

/// The run of a request, as far as the stages of the chain report to it.
protocol AttemptObserver: AnyObject, Sendable {
  /// Whether monitors observe the request.
  var isRecorded: Bool { get }
  /// Whether ``receive(_:of:)`` has an effect.
  var isWatched: Bool { get }
  /// Reports that a request is sent, after all middleware.
  func send(_ request: HTTPRequest)
  /// Reports a redirect or a challenge, and the request that follows it.
  func follow(_ request: HTTPRequest, _ head: HTTPResponse, by next: HTTPRequest)
  /// Reports the head of the delivered response.
  func respond(_ head: HTTPResponse)
  /// Reports an event of the exchange.
  func receive(_ event: TransportEvent, of request: HTTPRequest)
  /// Reports an event of the cache.
  func observe(_ event: CacheEvent, of request: HTTPRequest)
  /// Records a decision; without effect unless ``isRecorded``.
  func record(_ entry: RunHistory.Entry)
  /// Starts a request in the background that replaces a stale response.
  ///
  /// - Parameter ended: Called at its end.
  /// - Returns: The handle that cancels it.
  func refreshStored(_ ended: @escaping @Sendable () -> Void) -> Disposable
}
