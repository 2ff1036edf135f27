import Signals

/// What a stage of a client's chain gets beside the request: the attempt, and where the events of the exchange go.
struct ExchangeContext: Sendable {
  typealias Receive = @Sendable (Event<TransportEvent, NetworkError>) -> Void

  /// The attempt to which the exchange belongs; `nil` outside of a client.
  let attempt: AttemptContext?
  /// The log of what is sent, for the cache; `nil` if the response is not stored.
  let log: SendLog?
  /// Cancels the exchange.
  let scope: Disposable
  /// The back-pressure of the consumer; `nil` if it takes all events.
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
