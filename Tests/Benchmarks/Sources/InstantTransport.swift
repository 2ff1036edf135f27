import Foundation
import Heliograph
import Signals

/// Answers at once: what is left is what a client itself costs.
struct InstantTransport: Transport {
  let body: Data

  var usesNetwork: Bool { false }

  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    Signal { [body] observer in
      observer.send(
        .head(HTTPResponse(statusCode: 200, headers: ["Content-Type": "application/json"], url: request.url)))
      observer.send(.body(body))
      observer.complete(with: .metrics(Metrics()))
      return nil
    }
  }
}
