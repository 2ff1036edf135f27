import Signals

/// The context of an exchange in a client's chain: the attempt, the scope and the receiver of the events.
struct ExchangeContext: Sendable {
  typealias Receive = @Sendable (Event<TransportEvent, NetworkError>) -> Void

  /// The attempt to which the exchange belongs; `nil` outside of a client.
  let attempt: AttemptContext?
  /// The log of the requests sent, for the cache; `nil` if the response is not stored.
  let log: SendLog?
  /// Cancels the exchange.
  let scope: Disposable
  /// The back-pressure of the consumer; `nil` if it never pauses.
  let pressure: Pressure?
  /// Receives the events; it ignores those after the end.
  let receive: Receive

  init(
    _ attempt: AttemptContext?, _ log: SendLog?, _ scope: Disposable, _ pressure: Pressure?,
    _ receive: @escaping Receive
  ) {
    self.attempt = attempt
    self.log = log
    self.scope = scope
    self.pressure = pressure
    self.receive = receive
  }

  /// Returns the context of an exchange whose events another closure receives.
  func receiving(_ receive: @escaping Receive) -> ExchangeContext {
    ExchangeContext(attempt, log, scope, pressure, receive)
  }
}
