package import Signals

/// A decorator that answers requests from a cache and stores their responses, by the ``HTTPRequest/cachePolicy`` of each.
///
/// A client has it before the offline gate and the middleware, so that a stored response needs neither a network nor a
/// token. A response is stored before its end is delivered: a request sent then finds it. Responses that fail are never
/// stored; a client also stores nothing that its validators, its envelope or its decoder reject.
///
/// The cache sees requests as they are built, before middleware: header fields that middleware adds do not select a
/// variant (`Vary`). A response is not stored if middleware has changed method, URL, `Host` or body, or has added
/// credentials in a client without ``NetworkClient/Configuration/account``. Responses in memory are delivered on the
/// subscriber's thread, those on disk on ``scheduler``. A body that is not kept in memory is written as it is received, on
/// the transport's thread, and read in pieces.
///
/// An unsafe request, such as a `POST`, removes the stored responses to `GET` of its URL, whatever its policy.
/// ``CachePolicy/cacheThenNetwork`` delivers two responses in a ``NetworkClient`` only; here it is
/// ``CachePolicy/networkThenCache``.
package struct CachingTransport: Transport {
  /// The transport that sends requests to their servers.
  package let next: any Transport
  /// The store of the responses.
  package let cache: ResponseCache
  /// The scheduler on which files are read.
  package let scheduler: any SignalScheduler

  /// Creates the decorator.
  ///
  /// - Parameters:
  ///   - next: The transport that sends requests to their servers.
  ///   - cache: The store of the responses.
  ///   - scheduler: The scheduler on which files are read. Default: `.global`.
  package init(_ next: any Transport, cache: ResponseCache, scheduler: any SignalScheduler = .global) {
    self.next = next
    self.cache = cache
    self.scheduler = scheduler
  }

  /// Whether the wrapped transport needs a network.
  package var usesNetwork: Bool { next.usesNetwork }

  /// Delivers the stored response, or sends the request and stores its response.
  ///
  /// - Parameter request: The request.
  /// - Returns: A signal of the exchange; ``TransportEvent/source(_:)`` precedes a response that is not from the network.
  ///   Disposing it cancels the exchange, and nothing of it is stored.
  package func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    let policy = request.cachePolicy
    if !policy.isActive { return invalidating(request) }
    if !policy.applies(to: request) { return passing(request) }
    cache.noteUse()
    return Signal { observer in
      guard let key = CacheKey(request, method: policy.isHTTP ? .get : nil) else {
        request.context.cache?.observe?(.notStored("the body of the request is a file or a stream"))
        return passing(request).subscribe(under: observer.pressure) { observer.send($0) }
      }
      let exchange = CacheExchange(self, request, key, observer)
      exchange.begin()
      return Disposable(source: exchange)
    }
  }

  /// Sends a request that its policy cannot be applied to.
  private func passing(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    if request.cachePolicy.mode != .onlyIfCached { return invalidating(request) }
    return .fail(.ofCache(.notCached, "the cache has no response to such a request", request))
  }

  /// Sends a request that is not cached, and removes the stored responses that it changes.
  private func invalidating(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    var outgoing = request
    // It refers to the client.
    if request.context.cache != nil { outgoing.context.cache = nil }
    guard cache.isUsed, let invalidate = invalidation(by: request) else { return next.send(outgoing) }
    outgoing.context.log = SendLog(onRedirect: invalidate)
    return next.send(outgoing).on(value: { event in if case .head(let head) = event { invalidate(head) } })
  }

  /// Returns the closure that removes the stored responses that an unsafe request changes, for the head of its response and
  /// of each redirect; `nil` for a safe request.
  func invalidation(by request: HTTPRequest) -> (@Sendable (HTTPResponse) -> Void)? {
    if request.method.isSafe { return nil }
    // A transport may keep the closure in its request: it must not refer to the client.
    var request = request
    request.context.cache = request.context.cache?.identity
    return { [cache, request] head in
      // Responses are stored under the URL before middleware, and redirects repeat the request elsewhere.
      var addresses = Invalidation.addresses(of: request.method, url: head.url, response: head)
      if !addresses.isEmpty, !addresses.contains(request.url) { addresses.append(request.url) }
      for address in addresses { cache.invalidate(address, for: request) }
    }
  }
}

extension NetworkError {
  /// Returns an error of the cache.
  static func ofCache(_ code: Code, _ reason: String, _ request: HTTPRequest) -> NetworkError {
    var request = request
    // An error must not keep the client alive.
    request.context.cache = nil
    return NetworkError(code, reason: reason, request: request)
  }
}

extension CachePolicy {
  /// Whether the policy applies to a request; if not, it is sent as without a cache.
  fileprivate func applies(to request: HTTPRequest) -> Bool {
    // What the body of a `GET` means is known to the app only (RFC 9110 §9.3.1).
    if isHTTP { return (request.method == .get || request.method == .head) && request.body.byteCount == 0 }
    // A part of a representation is stored by the rules of HTTP only.
    return request.headers["Range"] == nil
  }
}
