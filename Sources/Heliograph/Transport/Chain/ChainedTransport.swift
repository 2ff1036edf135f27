import Signals

/// A stage of the chain that a client builds once between itself and its transport.
protocol ChainedTransport: AnyObject, Transport {
  /// Starts the exchange of a request as the next work in the context's scope.
  func start(_ request: HTTPRequest, in context: ExchangeContext)
}

extension ChainedTransport {
  /// Returns the exchange of a request as a signal, for a stage that composes signals.
  func signal(
    _ request: HTTPRequest, of attempt: AttemptContext?, _ log: SendLog? = nil
  ) -> Signal<TransportEvent, NetworkError> {
    Signal { [self] observer in
      let scope = Disposable()
      observer.hold(scope)
      let pressure = observer.pressure
      let context = ExchangeContext(attempt: attempt, log: log, scope: scope, pressure: pressure) { observer.send($0) }
      start(request, in: context)
      return nil
    }
  }
}

/// A stage that passes requests on to the next one.
protocol DecoratingTransport: ChainedTransport {
  var next: any ChainedTransport { get }
}

extension DecoratingTransport {
  package var usesNetwork: Bool { next.usesNetwork }

  /// Returns the exchange of a request that belongs to no attempt of a client.
  package func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    if request.needsDeadline { return request.limited(send) }
    return signal(request, of: nil)
  }
}

extension Transport {
  var chained: any ChainedTransport { self as? any ChainedTransport ?? UnchainedTransport(self) }
}

/// The end of a chain: any transport, which gets the request alone.
final class UnchainedTransport: ChainedTransport {
  private let transport: any Transport

  init(_ transport: any Transport) { self.transport = transport }

  var usesNetwork: Bool { transport.usesNetwork }

  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> { transport.send(request) }

  func start(_ request: HTTPRequest, in context: ExchangeContext) {
    transport.send(request).subscribe(in: context.scope, under: context.pressure, context.receive)
  }
}
