import Foundation
import Signals

/// Gathers what a transport sends into one response.
final class Exchange: Sendable {
  private struct State {
    var head: HTTPResponse?
    var body = Data()
  }

  private let state = Guarded(State())

  /// The whole response of an exchange.
  ///
  /// A failure keeps what had come of the response.
  static func gather(_ events: Signal<TransportEvent, NetworkError>) -> Signal<Response<Data>, NetworkError> {
    .deferred {
      let exchange = Exchange()
      return events.map { exchange.add($0) }.mapError { exchange.blame($0) }.then(.deferred { exchange.result })
    }
  }

  private var response: Response<Data>? {
    state.withLock { state in state.head.map { Response(value: state.body, head: $0) } }
  }

  private var result: Signal<Response<Data>, NetworkError> {
    if let response { return .just(response) }
    return .fail(NetworkError(.network, .badResponse, reason: "the exchange ended without a response"))
  }

  private func add(_ event: TransportEvent) {
    state.withLock { state in
      switch event {
      case .head(let head): state.head = head
      case .body(let data): if state.body.isEmpty { state.body = data } else { state.body.append(data) }
      }
    }
  }

  private func blame(_ error: NetworkError) -> NetworkError {
    var error = error
    error.response = error.response ?? response
    return error
  }
}
