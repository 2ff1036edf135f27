import Signals

/// A decorator by which identical safe requests in flight share one exchange.
///
/// Each subscriber has its own deadline and may be disposed on its own; the exchange is cancelled with the last one.
struct CoalescingTransport: Transport {
  let next: any Transport
  private let exchanges: SharedExchanges
  private let scope: SharingScope

  /// Creates the decorator of one request.
  ///
  /// - Parameters:
  ///   - next: the transport that sends the request of each shared exchange.
  ///   - exchanges: the exchanges in flight.
  ///   - scope: the properties that are compared besides those of the HTTP request.
  init(_ next: any Transport, _ exchanges: SharedExchanges, _ scope: SharingScope) {
    self.next = next
    self.exchanges = exchanges
    self.scope = scope
  }

  var usesNetwork: Bool { next.usesNetwork }

  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    guard let key = SharingKey(request, in: scope) else { return next.send(request) }
    return Signal { [next, exchanges] observer in
      request.deadline?.activity = .exchange
      let member = SharedExchangeMember(request, observer)
      let (exchange, isFirst) = exchanges.join(key, member)
      if isFirst { exchange.start(request, over: next) }
      return Disposable { exchange.leave(member) }
    }
  }
}
