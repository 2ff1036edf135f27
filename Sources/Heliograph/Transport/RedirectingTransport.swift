public import Signals

/// Follows redirects, by the same rules over every transport.
///
/// | status | the next request |
/// |---|---|
/// | 301, 302 | `POST` becomes `GET` without a body, other methods stay (RFC 9110 §15.4.2, §15.4.3) |
/// | 303 | `GET` without a body; `HEAD` stays (RFC 9110 §15.4.4) |
/// | 307, 308 | the same method and body (RFC 9110 §15.4.8, §15.4.9) |
///
/// To another ``Origin`` these header fields are kept, and all others dropped for good: `Accept` and `Accept-…`,
/// `User-Agent`, `Range`, `If-…`, and `Content-…` while there is a body. The body goes there only where
/// ``HTTPRequest/sendsBodyAcrossOrigins`` says so; otherwise the redirect fails.
///
/// Refused are a way from https to http, plain http that the request does not allow, an address that names a user, and
/// what is not HTTP. The first request is refused, too, if it goes over plain http that it does not allow. A 3xx without a
/// `Location`, or with an empty one, is a response like any other.
///
/// The body of a redirect is read for 250 ms and up to 64 KiB, so that its connection can be used again; whether it comes
/// whole does not matter.
public struct RedirectingTransport: Transport {
  /// What carries each request.
  public let next: any Transport
  /// The maximum number of redirects for one request.
  ///
  /// Default: 10.
  public let limit: Int
  /// What is done with redirects of requests that do not say.
  ///
  /// Default: ``RedirectPolicy/follow``.
  public let policy: RedirectPolicy

  /// Makes the decorator.
  ///
  /// - Parameters:
  ///   - next: what carries each request; it must not follow redirects itself.
  ///   - limit: the maximum number of redirects. Default: 10.
  ///   - policy: what is done with redirects of requests that do not say. Default: ``RedirectPolicy/follow``.
  public init(_ next: any Transport, limit: Int = 10, policy: RedirectPolicy = .follow) {
    self.next = next
    self.limit = limit
    self.policy = policy
  }

  /// Whether what it holds needs a network.
  public var usesNetwork: Bool { next.usesNetwork }

  /// The exchange, with the head and body of the last response only.
  ///
  /// - Parameter request: the first request.
  /// - Returns: the signal; it fails with a `client` error when a redirect must not be followed.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    if request.needsDeadline { return request.limited(send) }
    return Signal { observer in start(request, under: observer.pressure) { observer.send($0) } }
  }

  /// Starts the exchange for a caller with a signal of its own.
  ///
  /// With `isBuilt` the request is as the builder has made it, so its address was checked already.
  func start(
    _ request: HTTPRequest, isBuilt: Bool = false, under pressure: Pressure? = nil,
    _ receive: @escaping RedirectChain.Receive
  ) -> Disposable? {
    // Middleware may have changed the address since it was built.
    guard isBuilt || request.allowsInsecureHTTP || request.url.isSecureOrLocal else {
      receive(
        .failed(
          NetworkError(
            .client, .insecureAddress, reason: "\(request.url.redacted) is plain http, which is not allowed",
            request: request)))
      return nil
    }
    let chain = RedirectChain(self, request, pressure, receive)
    chain.begin(request)
    return Disposable(source: chain)
  }
}
