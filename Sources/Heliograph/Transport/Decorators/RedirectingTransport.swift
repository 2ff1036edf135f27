package import Signals

/// A decorator that follows redirects, by the same rules over every transport.
///
/// ``NetworkClient/Configuration/redirects`` documents the rules.
package struct RedirectingTransport: ChainedTransport {
  /// The transport that sends each request.
  private let next: NextTransport
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
    self.next = NextTransport(next)
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
    exchange(request)
  }

  func start(_ request: HTTPRequest, in context: ExchangeContext) {
    // The builder has checked the URL, but middleware may have changed it.
    let isChecked = context.attempt?.middleware.isEmpty == true
    guard isChecked || request.allowsInsecureHTTP || request.url.isSecureOrLocal else {
      let reason = "\(request.url.redacted) is plain http, which is not allowed"
      return context.receive(.failed(NetworkError(.insecureAddress, reason: reason, request: request)))
    }
    request.deadline?.activity = .exchange
    context.log?.record(request)
    context.attempt?.send(request)
    ExchangeSequence.start(RedirectRule(request, policy, limit: limit), over: next, in: context.recorded)
  }
}

extension ExchangeContext {
  /// The context whose run learns of the head of the delivered response, if monitors observe it.
  fileprivate var recorded: ExchangeContext {
    guard let run = attempt?.run, run.isRecorded else { return self }
    return receiving { [receive] event in
      if case .value(.head(let head)) = event { run.respond(head) }
      receive(event)
    }
  }
}
