package import Signals

/// A decorator that follows redirects, by the same rules over every transport.
///
/// ``NetworkClient/Configuration/redirects`` documents the rules.
package struct RedirectingTransport: Transport {
  /// The transport that sends each request.
  package let next: any Transport
  /// The maximum number of redirects for one request.
  ///
  /// Default: 10.
  package let limit: Int
  /// The policy for requests that set none.
  ///
  /// Default: ``RedirectPolicy/follow``.
  package let policy: RedirectPolicy

  /// Creates the decorator.
  ///
  /// - Parameters:
  ///   - next: the transport that sends each request; it must not follow redirects itself.
  ///   - limit: the maximum number of redirects. Default: 10.
  ///   - policy: the policy for requests that set none. Default: ``RedirectPolicy/follow``.
  package init(_ next: any Transport, limit: Int = 10, policy: RedirectPolicy = .follow) {
    self.next = next
    self.limit = limit
    self.policy = policy
  }

  /// Whether the wrapped transport needs a network.
  package var usesNetwork: Bool { next.usesNetwork }

  /// Sends the request, follows redirects, and delivers only the last response.
  ///
  /// - Parameter request: the first request.
  /// - Returns: a signal of the redirect chain. It fails with a `client` error if a redirect is refused.
  package func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    if request.needsDeadline { return request.limited(send) }
    return Signal { observer in
      let handle = Disposable()
      observer.hold(handle)
      start(request, in: handle, under: observer.pressure) { observer.send($0) }
      return nil
    }
  }

  /// Starts the exchange for a caller with a signal of its own.
  ///
  /// `isBuilt` means that the request comes from the builder, which has already checked its URL.
  func start(
    _ request: HTTPRequest, isBuilt: Bool = false, in handle: Disposable, under pressure: Pressure? = nil,
    _ receive: @escaping ExchangeSequence.Receive
  ) {
    // Middleware may have changed the URL since the request was built.
    guard isBuilt || request.allowsInsecureHTTP || request.url.isSecureOrLocal else {
      let reason = "\(request.url.redacted) is plain http, which is not allowed"
      return receive(.failed(NetworkError(.insecureAddress, reason: reason, request: request)))
    }
    request.deadline?.activity = .exchange
    request.context.log?.note(request)
    let first = RedirectRule(request, policy, limit: limit)
    ExchangeSequence.start(first, over: next, in: handle, under: pressure, receive)
  }
}
