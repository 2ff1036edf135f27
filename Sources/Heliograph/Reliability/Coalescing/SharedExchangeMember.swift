import Signals

final class SharedExchangeMember: Sendable {
  private let request: HTTPRequest
  private let attempt: AttemptContext?
  private let log: SendLog?
  private let subscription: Guarded<Subscription?>

  /// The subscription of a member; `nil` once no event can follow, or the member has joined another exchange.
  private struct Subscription {
    let observer: Observer<TransportEvent, NetworkError>
    /// Joins the exchange of the request anew, in place of this subscription.
    let restart: @Sendable () -> Void
  }

  init(
    _ request: HTTPRequest, _ context: ExchangeContext, _ observer: Observer<TransportEvent, NetworkError>,
    restart: @escaping @Sendable () -> Void
  ) {
    self.request = request
    attempt = context.attempt
    log = context.log
    subscription = Guarded(Subscription(observer: observer, restart: restart))
  }

  private var observer: Observer<TransportEvent, NetworkError>? { subscription.withLock { $0?.observer } }

  var isTerminated: Bool { observer?.isDisposed != false }

  /// Releases the subscription, to which no event will be sent, except by its deadline.
  func drop() {
    let former = subscription.withLock { $0.take() }
    if request.deadline == nil { former?.observer.drop() }
  }

  /// Releases the subscription after its end.
  func forget() { subscription.set(nil) }

  /// The request that the first member has sent, as this one would have; `nil` before it was sent.
  var sent: HTTPRequest? { attempt?.adapted }

  /// Joins the exchange of the request anew, unless the member has ended or its identity has changed.
  func restart() {
    guard let former = subscription.withLock({ $0.take() }), !former.observer.isDisposed, !request.isStale else {
      return
    }
    former.restart()
  }

  /// Delivers an event; `source` is reported before the head, unless it is the network or was reported already.
  func receive(
    _ event: Event<TransportEvent, NetworkError>, from source: ResponseSource?, _ shared: SendLog, _ retry: SharedRetry,
    sentBy first: SharedExchangeMember?
  ) {
    guard let observer else { return }
    switch event {
    case .value(.head):
      log?.copy(shared)
      attempt?.share(retry)
      adapt(to: first)
      if let source { observer.send(.source(source)) }
      observer.send(event)
    case .failed(var error):
      attempt?.share(retry)
      adapt(to: first)
      // The error of a shared exchange names the request that began it, after redirects that of the last one.
      if error.request?.id != request.id {
        let own = attempt?.adapted ?? request
        let isOfExchange = error.request?.id == first?.request.id && error.request?.url != own.url
        error.request = isOfExchange ? error.request?.withContext(of: request) : own
      }
      if first !== self { error.marks.isShared = true }
      observer.fail(error)
    default: observer.send(event)
    }
  }

  /// Adopts the changes of the cache and middleware in the request that the first member has sent.
  func adapt(to first: SharedExchangeMember?) {
    guard first !== self, var sent = first?.attempt?.adapted?.withContext(of: request) else { return }
    // The members may differ in these.
    sent.totalTimeout = request.totalTimeout
    sent.priority = request.priority
    sent.cachePolicy = request.cachePolicy
    attempt?.adapt(to: sent)
    attempt?.recordHead(first?.attempt?.hasResponse == true)
  }
}
