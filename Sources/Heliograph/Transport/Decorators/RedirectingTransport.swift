import Signals

/// A decorator that follows redirects, by the same rules over every transport.
///
/// Only the last response of a redirect chain is delivered. The exchange fails with a `client` error if a redirect is
/// refused. ``NetworkClient/Configuration/redirects`` documents the rules.
package final class RedirectingTransport: DecoratingTransport {
  /// The transport that sends each request.
  let next: any ChainedTransport
  /// The maximum number of redirects for one request.
  ///
  /// Default: 10.
  package let limit: Int
  /// The policy for requests that set none.
  ///
  /// Default: ``RedirectPolicy/follow``.
  package let policy: RedirectPolicy
  /// The stamp of first requests; `nil` without traces.
  private let traceStamp: TraceStamp?

  /// Creates the decorator.
  ///
  /// - Parameters:
  ///   - next: The transport that sends each request; it must not follow redirects itself.
  ///   - limit: The maximum number of redirects. Default: 10.
  ///   - policy: The policy for requests that set none. Default: ``RedirectPolicy/follow``.
  package convenience init(_ next: any Transport, limit: Int = 10, policy: RedirectPolicy = .follow) {
    self.init(next, limit: limit, policy: policy, nil)
  }

  /// Creates the stage of a client, which stamps each request with its trace context.
  init(_ next: any Transport, limit: Int, policy: RedirectPolicy, _ traceStamp: TraceStamp?) {
    self.next = next.chained
    self.limit = limit
    self.policy = policy
    self.traceStamp = traceStamp
  }

  func start(_ request: HTTPRequest, in context: ExchangeContext) {
    // The builder has checked the URL, but middleware may have changed it.
    let isChecked = context.attempt?.middleware.isEmpty == true
    guard isChecked || request.allowsInsecureHTTP || request.url.isSecureOrLocal else {
      let reason = "plain HTTP to \(request.url.redacted) is blocked: use https, or set `allowsInsecureHTTP`"
      return context.receive(.failed(NetworkError(.insecureAddress, reason: reason, request: request)))
    }
    request.deadline?.activity = .exchange
    context.log?.record(request)
    // Below the cache and the sharing of exchanges, which compare the fields of requests.
    let request = traceStamp?.stamped(request) ?? request
    context.attempt?.send(request)
    ExchangeSequence(of: request, over: next, in: context, reportsHead: true)
      .start(RedirectRule(request, policy, limit: limit))
  }
}
