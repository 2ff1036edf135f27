import Foundation
import Heliograph
import HeliographTesting

/// A transport whose exchanges are the subscriptions of a signal: each number is a piece of a body.
private struct NumberTransport: Transport {
  let results: Signal<Int, NetworkError>
  var usesNetwork: Bool { false }

  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    let head = HTTPResponse(statusCode: 200, url: request.url)
    return .deferred {
      let hasHead = Guarded(false)
      return results.flatMap { number in
        let piece = Signal<TransportEvent, NetworkError>.just(.body(Data(String(number).utf8)))
        return hasHead.withLock { hasHead in
          defer { hasHead = true }
          return hasHead ? piece : .just(.head(head)).concat(piece)
        }
      }
    }
  }
}

extension Signal<Int, NetworkError> {
  /// Returns the results of a request over a client, whose attempts are the subscriptions of this signal.
  package func attempted(
    _ configure: (inout NetworkClient.Configuration) -> Void
  ) -> Signal<Int, NetworkError> {
    var configuration = NetworkClient.Configuration(transport: NumberTransport(results: self))
    configuration.baseURL = URL(string: "http://shop.example")
    configuration.allowsInsecureHTTP = true
    configuration.retry = .never
    configuration.retryBudget = nil
    configuration.totalTimeout = nil
    configure(&configuration)
    return NetworkClient(configuration).stream(request: "/a").compactMap {
      Int(String(decoding: $0.value, as: UTF8.self))
    }
  }

  /// Returns the results of a request that is retried.
  package func retrying(
    _ retry: Retry, budget: RetryBudget? = nil, totalTimeout: Duration? = nil, on scheduler: any SignalScheduler
  ) -> Signal<Int, NetworkError> {
    attempted {
      $0.retry = retry
      $0.retryBudget = budget
      $0.totalTimeout = totalTimeout
      $0.scheduler = scheduler
    }
  }
}

extension Recovery {
  /// Returns the results of a request that is recovered.
  package func recovering(_ signal: Signal<Int, NetworkError>) -> Signal<Int, NetworkError> {
    signal.attempted { $0.recoveries = [self] }
  }
}
