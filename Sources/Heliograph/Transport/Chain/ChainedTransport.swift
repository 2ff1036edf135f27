import Signals

/// A stage of the chain that a client builds once between itself and its transport.
protocol ChainedTransport: Transport {
  /// Starts the exchange of a request, as the next work of the context's scope.
  func start(_ request: HTTPRequest, in context: ExchangeContext)
}

extension ChainedTransport {
  /// Returns the exchange of a request as a signal, for a stage that composes signals.
  func signal(
    _ request: HTTPRequest, of attempt: AttemptContext?, _ log: SendLog? = nil
  ) -> Signal<TransportEvent, NetworkError> {
    Signal { observer in
      let scope = Disposable()
      observer.hold(scope)
      start(request, in: ExchangeContext(attempt, log, scope, observer.pressure) { observer.send($0) })
      return nil
    }
  }
}

/// A stage that passes requests on to the next one.
protocol DecoratingTransport: ChainedTransport {
  /// The transport after the stage.
  var next: NextTransport { get }
}

extension DecoratingTransport {
  /// Whether the next transport needs a network.
  package var usesNetwork: Bool { next.usesNetwork }

  /// Returns the exchange of a request that belongs to no attempt of a client.
  package func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    if request.needsDeadline { return request.limited(send) }
    return signal(request, of: nil)
  }
}

/// The transport after a stage: another stage, or the app's own transport.
///
/// It is an object, because a copy of a stage would copy all of its members.
final class NextTransport: Sendable {
  private let stage: any ChainedTransport

  init(_ transport: any Transport) {
    stage = transport as? any ChainedTransport ?? UnchainedTransport(transport: transport)
  }

  var usesNetwork: Bool { stage.usesNetwork }

  /// Starts the exchange of a request, as the next work of the context's scope.
  func start(_ request: HTTPRequest, in context: ExchangeContext) { stage.start(request, in: context) }

  /// Returns the exchange of a request as a signal, for a stage that composes signals.
  func signal(
    _ request: HTTPRequest, of attempt: AttemptContext?, _ log: SendLog?
  ) -> Signal<TransportEvent, NetworkError> {
    stage.signal(request, of: attempt, log)
  }
}

/// The end of a chain: any transport, which gets the request alone.
struct UnchainedTransport: ChainedTransport {
  let transport: any Transport

  var usesNetwork: Bool { transport.usesNetwork }

  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> { transport.send(request) }

  func start(_ request: HTTPRequest, in context: ExchangeContext) {
    transport.send(request).subscribe(in: context.scope, under: context.pressure, context.receive)
  }
}
