import Foundation
import Heliograph
import HeliographTesting
import Signals

/// A request whose every subscription takes the next outcome; the last one stays.
package final class Script: Sendable {
  package enum Outcome: Sendable {
    case value(Int)
    case failure(NetworkError)
    /// A value, and then an error.
    case both(Int, NetworkError)
    case never
  }

  private let state: Guarded<(outcomes: [Outcome], count: Int)>

  package init(_ outcomes: Outcome...) { state = Guarded((outcomes, 0)) }

  /// How many subscriptions there have been.
  package var count: Int { state.withLock { $0.count } }

  package var signal: Signal<Int, NetworkError> {
    .deferred { [self] in
      switch take() {
      case .value(let value): .just(value)
      case .failure(let error): .fail(error)
      case .both(let value, let error): Signal.just(value).concat(.fail(error))
      case .never, nil: .never
      }
    }
  }

  private func take() -> Outcome? {
    state.withLock { state in
      state.count += 1
      return state.outcomes.count > 1 ? state.outcomes.removeFirst() : state.outcomes.first
    }
  }
}

extension HTTPRequest {
  /// A request of whatever kind.
  package static func sample(
    _ method: HTTPMethod = .get, isIdempotent: Bool? = nil, path: String = "/a"
  ) -> HTTPRequest {
    HTTPRequest(
      method: method, url: URL(string: "http://shop.example" + path) ?? URL(filePath: "/"),
      isIdempotent: isIdempotent)
  }
}

extension NetworkError {
  /// What a status comes to.
  package static func status(
    _ status: Int, _ headers: HTTPHeaders = [:], for request: HTTPRequest = .sample()
  ) -> NetworkError {
    let head = HTTPResponse(statusCode: status, headers: headers, url: request.url)
    return NetworkError(
      .status(status), request: request, response: Response(value: Data(), head: head))
  }

  package static func network(_ code: Code, for request: HTTPRequest = .sample()) -> NetworkError {
    NetworkError(code, request: request)
  }
}
