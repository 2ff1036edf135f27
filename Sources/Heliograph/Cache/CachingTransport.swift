package import Signals

/// A decorator that serves responses from a cache and stores received ones, by each request's
/// ``HTTPRequest/cachePolicy``; ``NetworkClient/Configuration/cache`` documents what is stored.
///
/// A response is stored before its completion is delivered, so that a request sent on completion finds it; that of a
/// failed or disposed exchange is never stored. Responses in memory are delivered on the subscriber's thread, those on
/// disk on ``scheduler``. A body too large for memory is written as it is received, on the transport's thread, and read
/// in pieces. Updating the head of a stored response copies its file, on ``scheduler``.
///
/// An unsafe request, such as a `POST`, removes the stored responses to `GET` of its URL, whatever its policy.
/// A client sends the steps of ``CachePolicy/networkThenCache`` and ``CachePolicy/cacheThenNetwork`` one by one.
package final class CachingTransport: DecoratingTransport {
  let next: any ChainedTransport
  package let cache: ResponseCache
  package let scheduler: any SignalScheduler

  /// Creates the decorator, which reads files on `scheduler`.
  package init(_ next: any Transport, cache: ResponseCache, scheduler: any SignalScheduler = .global) {
    self.next = next.chained
    self.cache = cache
    self.scheduler = scheduler
  }

  func start(_ request: HTTPRequest, in context: ExchangeContext) {
    let policy = request.cachePolicy
    if !policy.isActive { return startUncached(request, in: context) }
    // HTTP defines no meaning for the body of a `GET` (RFC 9110 §9.3.1), and only its rules cover partial responses.
    let isApplicable =
      policy.isHTTP
      ? (request.method == .get || request.method == .head) && request.body.byteCount == 0
      : request.headers["Range"] == nil
    if !isApplicable { return startInapplicable(request, in: context) }
    cache.markUsed()
    guard let key = CacheKey(request, method: policy.isHTTP ? .get : nil) else {
      context.attempt?.recorder?.recordCache(.notStored("the body of the request is a file or a stream"), of: request)
      return startInapplicable(request, in: context)
    }
    if !context.scope.isDisposed { CacheExchange(self, request, key, context).begin() }
  }

  /// Handles a request to which its policy cannot be applied.
  private func startInapplicable(_ request: HTTPRequest, in context: ExchangeContext) {
    if request.cachePolicy.mode != .onlyIfCached { return startUncached(request, in: context) }
    let reason = "no cached response: the request is not cacheable"
    context.receive(.failed(NetworkError(.notCached, reason: reason, request: request)))
  }

  /// Sends a request without the cache; one that may change something invalidates stored responses.
  private func startUncached(_ request: HTTPRequest, in context: ExchangeContext) {
    guard let invalidate = invalidation(by: request) else { return next.start(request, in: context) }
    let receive = context.receive
    let invalidating = ExchangeContext(
      attempt: context.attempt, log: SendLog(onRedirect: invalidate), scope: context.scope, pressure: context.pressure
    ) { event in
      if case .value(.head(let head)) = event { invalidate(head) }
      receive(event)
    }
    next.start(request, in: invalidating)
  }

  /// Returns a closure that invalidates stored responses, for the head of each redirect and of the response of a
  /// request that may change something; `nil` for others.
  func invalidation(by request: HTTPRequest) -> (@Sendable (HTTPResponse) -> Void)? {
    if !request.method.mayChange { return nil }
    return { [cache] head in
      // Asked now, because the cache may have been used for the first time while the request was in flight.
      guard cache.isUsed else { return }
      // A response is stored under the URL of its request, which middleware and redirects may have changed.
      var addresses = Invalidation.addresses(of: request.method, url: head.url, response: head)
      if !addresses.isEmpty, !addresses.contains(request.url) { addresses.append(request.url) }
      cache.invalidate(addresses, for: request)
    }
  }
}
