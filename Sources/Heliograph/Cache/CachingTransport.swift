public import Signals

/// A decorator that answers requests from a cache and stores their responses, by the ``HTTPRequest/cachePolicy`` of each.
///
/// A client has it before the offline gate and the middleware, so that a stored response needs neither a network nor a
/// token. A response is stored before its end is delivered: a request sent then finds it. Responses that fail are never
/// stored; a client also stores nothing that its validators, its envelope or its decoder reject.
///
/// The cache sees requests as they are built, before middleware: header fields that middleware adds do not select a
/// variant (`Vary`). Responses in memory are delivered on the subscriber's thread, those on disk on ``scheduler``. A
/// body that is not kept in memory is written as it is received, on the transport's thread, and read in pieces.
///
/// Over ``CachePolicy/http`` an unsafe request, such as a `POST`, removes the stored responses of its URL.
/// ``CachePolicy/cacheThenNetwork`` delivers two responses in a ``NetworkClient`` only; here it is
/// ``CachePolicy/networkThenCache``.
public struct CachingTransport: Transport {
  /// The transport that sends requests to their servers.
  public let next: any Transport
  /// The store of the responses.
  public let cache: ResponseCache
  /// The scheduler on which files are read.
  public let scheduler: any SignalScheduler

  /// Creates the decorator.
  ///
  /// - Parameters:
  ///   - next: The transport that sends requests to their servers.
  ///   - cache: The store of the responses.
  ///   - scheduler: The scheduler on which files are read. Default: `.global`.
  public init(_ next: any Transport, cache: ResponseCache, scheduler: any SignalScheduler = .global) {
    self.next = next
    self.cache = cache
    self.scheduler = scheduler
  }

  /// Whether the wrapped transport needs a network.
  public var usesNetwork: Bool { next.usesNetwork }

  /// Delivers the stored response, or sends the request and stores its response.
  ///
  /// - Parameter request: The request.
  /// - Returns: A signal of the exchange; ``TransportEvent/source(_:)`` precedes a response that is not from the network.
  ///   Disposing it cancels the exchange, and nothing of it is stored.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    let policy = request.cachePolicy
    if !policy.isActive || !policy.applies(to: request) { return invalidating(request) }
    cache.noteUse()
    return Signal { observer in
      guard let key = CacheKey(request, method: policy.isHTTP ? .get : nil) else {
        request.context.cache?.observe?(.notStored("the body of the request is a file or a stream"))
        return next.send(request).subscribe(under: observer.pressure) { observer.send($0) }
      }
      let exchange = CacheExchange(self, request, key, observer)
      exchange.begin()
      return Disposable(source: exchange)
    }
  }

  /// Sends a request that is not cached, and removes the stored responses that it changes.
  private func invalidating(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    if !cache.isUsed || request.method.isSafe { return next.send(request) }
    return next.send(request).on(value: { [cache] event in
      guard case .head(let head) = event else { return }
      var addresses = Invalidation.addresses(of: request.method, url: request.url, response: head)
      // Redirects may have repeated the request there.
      if !addresses.isEmpty, !addresses.contains(head.url) { addresses.append(head.url) }
      for address in addresses { cache.invalidate(address, for: request) }
    })
  }
}

extension CachePolicy {
  /// Whether the policy applies to a request; if not, it is sent as without a cache.
  fileprivate func applies(to request: HTTPRequest) -> Bool {
    if isHTTP { return request.method == .get || request.method == .head }
    // A part of a representation is stored by the rules of HTTP only.
    return request.headers["Range"] == nil
  }
}
