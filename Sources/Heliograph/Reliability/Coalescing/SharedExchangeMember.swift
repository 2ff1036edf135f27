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

  var isTerminated: Bool { observer.isDisposed }

  /// Delivers an event; `source` is reported before the head, unless it is the network or was reported already.
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
