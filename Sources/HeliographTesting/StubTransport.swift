import Foundation
public import Heliograph
public import Signals

/// A transport that answers from a script: for tests of view models and policies that need no network.
///
/// ```swift
/// let stub = StubTransport()
/// stub.on("GET", "/user", .json(#"{"name":"Ada"}"#))
/// let client = NetworkClient(.init(baseURL: URL(string: "https://api.example.com"), transport: stub))
/// ```
/// Each request takes the next answer of its route; the last one stays. Answers pass the same validation and decoding as
/// real ones. A request without a route fails with a `client` error and is noted in ``unexpectedRequests``: a test asserts
/// that this is empty.
public final class StubTransport: Transport {
  private struct Key: Hashable {
    let method: HTTPMethod
    let path: String
  }

  private struct State {
    var routes: [Key: [StubAnswer]] = [:]
    var requests: [HTTPRequest] = []
    var unexpected: [HTTPRequest] = []
    var activeCount = 0
    var cancelledCount = 0
  }

  private let state = Guarded(State())
  private let scheduler: any SignalScheduler

  /// Makes a transport that answers nothing yet.
  ///
  /// - Parameter scheduler: times the answers' delays. Default: `.immediate`; a ``VirtualScheduler`` puts time in your hands.
  public init(scheduler: any SignalScheduler = .immediate) {
    self.scheduler = scheduler
  }

  /// Sets the answers of a route.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - path: the path, without the query.
  ///   - answers: what is answered, one after another; the last one again and again.
  public func on(_ method: HTTPMethod, _ path: String, _ answers: StubAnswer...) {
    state.withLock { $0.routes[Key(method: method, path: path)] = answers }
  }

  /// All requests so far, in the order of their subscriptions.
  public var requests: [HTTPRequest] { state.withLock { $0.requests } }

  /// The requests for which there was no answer.
  public var unexpectedRequests: [HTTPRequest] { state.withLock { $0.unexpected } }

  /// How many exchanges are in flight.
  public var activeCount: Int { state.withLock { $0.activeCount } }

  /// How many exchanges were disposed before their end.
  public var cancelledCount: Int { state.withLock { $0.cancelledCount } }

  /// It answers by itself.
  public var usesNetwork: Bool { false }

  /// The exchange: what the route's next answer says.
  ///
  /// - Parameter request: what to answer.
  /// - Returns: the signal. Steps without a delay are sent on the subscriber's thread, later ones by the scheduler.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    .deferred { [self] in
      guard let answer = takeAnswer(to: request) else {
        return .fail(
          NetworkError(.client, .unexpectedRequest, reason: "no answer is scripted for \(request)", request: request))
      }
      return answer.events(for: request, on: scheduler).on(
        start: { self.state.withLock { $0.activeCount += 1 } },
        failure: { _ in self.state.withLock { $0.activeCount -= 1 } },
        completion: { self.state.withLock { $0.activeCount -= 1 } },
        dispose: {
          self.state.withLock {
            $0.activeCount -= 1
            $0.cancelledCount += 1
          }
        })
    }
  }

  private func takeAnswer(to request: HTTPRequest) -> StubAnswer? {
    let key = Key(method: request.method, path: request.url.path)
    return state.withLock { state in
      state.requests.append(request)
      guard let answers = state.routes[key], let first = answers.first else {
        state.unexpected.append(request)
        return nil
      }
      if answers.count > 1 { state.routes[key]?.removeFirst() }
      return first
    }
  }
}

extension NetworkError.Code {
  /// Client: a ``StubTransport`` has no answer for the request.
  public static let unexpectedRequest: NetworkError.Code = 690
}
