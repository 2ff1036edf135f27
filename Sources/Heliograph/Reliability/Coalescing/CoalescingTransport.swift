import Signals

/// A decorator that lets identical safe requests in flight share one exchange.
///
/// Each subscriber has its own deadline and may be disposed on its own; the exchange is cancelled with the last one.
final class CoalescingTransport: DecoratingTransport {
  let next: any ChainedTransport
  private let exchanges: SharedExchanges
  private let scope: SharingScope?

  /// Creates the decorator; without a scope, requests outside a client are not shared.
  init(_ next: any Transport, _ exchanges: SharedExchanges, _ scope: SharingScope? = nil) {
    self.next = next.chained
    self.exchanges = exchanges
    self.scope = scope
  }

  func start(_ request: HTTPRequest, in context: ExchangeContext) {
    if !request.method.isSafe {
      return next.start(request, in: context.receiving(exchanges.counting(context.receive)))
    }
    if let attempt = context.attempt, attempt.sharing == nil { return next.start(request, in: context) }
    guard let scope = context.attempt?.sharing ?? scope, let key = SharingKey(request, in: scope) else {
      return next.start(request, in: context)
    }
    let shared = Signal<TransportEvent, NetworkError> { [next, exchanges] observer in
      request.deadline?.activity = .exchange
      let member = SharedExchangeMember(request, context.log, observer)
      let (exchange, isFirst) = exchanges.join(key, member)
      if isFirst { exchange.start(request, of: context, over: next) }
      return Disposable { exchange.leave(member) }
    }
    shared.subscribe(in: context.scope, under: context.pressure, context.receive)
  }
}
