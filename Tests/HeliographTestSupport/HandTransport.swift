import Foundation
import Heliograph
import Signals

/// A transport whose exchanges a test answers by hand.
package final class HandTransport: Transport {
  private struct State {
    var requests: [HTTPRequest] = []
    var observers: [Observer<TransportEvent, NetworkError>] = []
    var cancelledCount = 0
  }

  private let state = Guarded(State())

  package init() {}

  package var requests: [HTTPRequest] { state.withLock { $0.requests } }
  package var cancelledCount: Int { state.withLock { $0.cancelledCount } }

  package func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    Signal { observer in
      self.state.withLock { state in
        state.requests.append(request)
        state.observers.append(observer)
      }
      return nil
    }
    .on(dispose: { self.state.withLock { $0.cancelledCount += 1 } })
  }

  /// The observer of an exchange, by its number from 0.
  package func exchange(_ index: Int) -> Observer<TransportEvent, NetworkError> {
    state.withLock { $0.observers[index] }
  }

  /// Sends the head of a response.
  package func head(_ index: Int, _ statusCode: Int = 200, _ headers: HTTPHeaders = [:]) {
    let url = state.withLock { $0.requests[index].url }
    exchange(index).send(.head(HTTPResponse(statusCode: statusCode, headers: headers, url: url)))
  }

  /// Sends a piece of the body.
  package func body(_ index: Int, _ text: String) { exchange(index).send(.body(Data(text.utf8))) }

  /// Sends a whole response.
  package func answer(_ index: Int, _ text: String, _ headers: HTTPHeaders = [:]) {
    head(index, 200, headers)
    body(index, text)
    exchange(index).complete()
  }
}
