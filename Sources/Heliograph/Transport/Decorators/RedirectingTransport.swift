public import Signals

/// A decorator that follows redirects, by the same rules over every transport.
///
/// | status | the next request |
/// |---|---|
/// | 301, 302 | `POST` becomes `GET` without a body, other methods are kept (RFC 9110 §15.4.2, §15.4.3) |
/// | 303 | `GET` without a body; `HEAD` is kept (RFC 9110 §15.4.4) |
/// | 307, 308 | the same method and body (RFC 9110 §15.4.8, §15.4.9) |
///
/// A request to another ``Origin`` keeps these header fields: `Accept` and `Accept-…`, `User-Agent`, `Range`, `If-…`,
/// `Last-Event-ID`, and `Content-…` while there is a body. All others are dropped for the rest of the chain. The body is sent to another
/// origin only if ``HTTPRequest/sendsBodyAcrossOrigins`` is `true`; otherwise the redirect fails.
///
/// Refused are redirects from https to http, to plain http that the request does not allow, to a URL that names a user,
/// and to a URL that is not HTTP. The first request is refused, too, if it uses plain http that it does not allow. A
/// 3xx without a `Location`, or with an empty one, is delivered like any other response.
///
/// The body of a redirect is read for up to 250 ms and 64 KiB, so that its connection can be reused. The redirect is
/// followed even if its body is incomplete.
public struct RedirectingTransport: Transport {
  /// The transport that sends each request.
  public let next: any Transport
  /// The maximum number of redirects for one request.
  ///
  /// Default: 10.
  public let limit: Int
  /// The policy for requests that set none.
  ///
  /// Default: ``RedirectPolicy/follow``.
  public let policy: RedirectPolicy

  /// Creates the decorator.
  ///
  /// - Parameters:
  ///   - next: the transport that sends each request; it must not follow redirects itself.
  ///   - limit: the maximum number of redirects. Default: 10.
  ///   - policy: the policy for requests that set none. Default: ``RedirectPolicy/follow``.
  public init(_ next: any Transport, limit: Int = 10, policy: RedirectPolicy = .follow) {
    self.next = next
    self.limit = limit
    self.policy = policy
  }

  /// Whether the wrapped transport needs a network.
  public var usesNetwork: Bool { next.usesNetwork }

  /// Sends the request, follows redirects, and delivers only the last response.
  ///
  /// - Parameter request: the first request.
  /// - Returns: a signal of the redirect chain. It fails with a `client` error if a redirect is refused.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    if request.needsDeadline { return request.limited(send) }
    return Signal { observer in start(request, under: observer.pressure) { observer.send($0) } }
  }

  /// Starts the exchange for a caller with a signal of its own.
  ///
  /// `isBuilt` means that the request comes from the builder, which has already checked its URL.
  func start(
    _ request: HTTPRequest, isBuilt: Bool = false, under pressure: Pressure? = nil,
    _ receive: @escaping RedirectChain.Receive
  ) -> Disposable? {
    // Middleware may have changed the URL since the request was built.
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
