import Signals

/// A subscriber of a shared exchange.
final class SharedExchangeMember: Sendable {
  private let request: HTTPRequest
  private let log: SendLog?
  private let observer: Observer<TransportEvent, NetworkError>

  init(_ request: HTTPRequest, _ log: SendLog?, _ observer: Observer<TransportEvent, NetworkError>) {
    self.request = request
    self.log = log
    self.observer = observer
  }

  /// Whether the subscription has ended.
  var isTerminated: Bool { observer.isDisposed }

  /// Delivers an event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - source: The source to report before the head; `nil` if it is the network or was reported already.
  ///   - shared: The log of the exchange.
  func receive(_ event: Event<TransportEvent, NetworkError>, from source: ResponseSource?, _ shared: SendLog) {
    switch event {
    case .value(.head):
      log?.copy(shared)
      if let source { observer.send(.source(source)) }
      observer.send(event)
    case .failed(var error):
      // The error of a shared exchange names the request that began it.
      if error.request?.id != request.id { error.request = request }
      observer.fail(error)
    default: observer.send(event)
    }
  }
}
