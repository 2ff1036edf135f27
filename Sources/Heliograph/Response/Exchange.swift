import Foundation
import Signals

/// Gathers what a transport sends into one response.
final class Exchange: Sendable {
  private struct State {
    var head: HTTPResponse?
    var body = Data()
    var metrics: Metrics?
    var hasRoom = false

    /// Called at the second piece: from there on it pays to have room for all that was announced.
    mutating func makeRoom(upTo limit: Int) {
      hasRoom = true
      guard let length = head?.headers["Content-Length"].flatMap({ Int($0) }), length > body.count else { return }
      body.reserveCapacity(min(length, limit, Exchange.trustedByteCount))
    }
  }

  /// How much memory is set aside on a server's mere word: 64 MiB.
  ///
  /// What is longer grows as it comes.
  private static let trustedByteCount = 67_108_864

  private let bodyLimit: Int
  private let state = Guarded(State())

  private init(bodyLimit: Int) {
    self.bodyLimit = bodyLimit
  }

  /// The whole response of an exchange.
  ///
  /// A failure keeps what had come of the response. A body longer than the limit is one, and disposes the exchange.
  static func gather(
    _ events: Signal<TransportEvent, NetworkError>, limits: ResponseLimits
  ) -> Signal<Response<Data>, NetworkError> {
    .deferred {
      let exchange = Exchange(bodyLimit: limits.bodyByteCount)
      return
        events
        .tryMap { (event) throws(NetworkError) in try exchange.add(event) }
        .mapError { exchange.blame($0) }
        .then(.deferred { exchange.result })
    }
  }

  private var response: Response<Data>? {
    state.withLock { state in
      state.head.map { Response(value: state.body, head: $0, metrics: state.metrics) }
    }
  }

  private var result: Signal<Response<Data>, NetworkError> {
    if let response { return .just(response) }
    return .fail(NetworkError(.network, .badResponse, reason: "the exchange ended without a response"))
  }

  private func add(_ event: TransportEvent) throws(NetworkError) {
    let isTooLong = state.withLock { state in
      switch event {
      case .head(let head): state.head = head
      case .metrics(let metrics): state.metrics = metrics
      case .body(let data):
        if state.body.isEmpty {
          state.body = data
        } else {
          if !state.hasRoom { state.makeRoom(upTo: bodyLimit) }
          state.body.append(data)
        }
      }
      return state.body.count > bodyLimit
    }
    if isTooLong {
      throw NetworkError(.network, .responseTooLarge, reason: "the body is longer than \(bodyLimit) bytes")
    }
  }

  private func blame(_ error: NetworkError) -> NetworkError {
    var error = error
    error.response = error.response ?? response
    return error
  }
}
