public import Foundation
public import Heliograph
public import Signals

/// A transport with scripted responses, for tests of view models and policies without a network.
///
/// ```swift
/// let stub = StubTransport()
/// stub.on(.get, "/users/1", .json(User(name: "Ada")))
/// stub.on(.get, "/search", query: ["q": "lamp"], .json(#"[{"id": 7}]"#))
/// stub.on(.post, "/orders") { request in .json(#"{"id": 1}"#, status: request.headers["If-Match"] == nil ? 201 : 200) }
/// let client = NetworkClient(.init(baseURL: URL(string: "https://api.example.com"), transport: stub))
/// ```
/// If several routes match a request, the one with the most conditions answers, and among those the latest one. Each
/// request takes the next answer of its route; the last one repeats. Answers pass the same validation and decoding as
/// those of servers. A request without an answer fails with a `client` error and is recorded in ``unexpectedRequests``: a
/// test should assert that this is empty. ``TestKit`` connects a stub, a client and a virtual clock.
///
/// Invalid requests fail as over every other transport, and so does one whose file is missing. Streams are not read.
public final class StubTransport: Transport {
  private struct State {
    var routes: [StubRoute] = []
    var requests: [HTTPRequest] = []
    var unexpected: [HTTPRequest] = []
    var activeCount = 0
    var cancelledCount = 0
  }

  private let state = Guarded(State())
  private let count = CurrentValue(0)
  private let scheduler: any SignalScheduler

  /// Creates a transport without routes.
  ///
  /// - Parameter scheduler: The scheduler of the answers' delays. Default: `.immediate`; with a ``VirtualScheduler`` a
  ///   test controls the time.
  public init(scheduler: any SignalScheduler = .immediate) {
    self.scheduler = scheduler
  }

  /// Sets the answers of a route, replacing those of a route with the same conditions.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path without the query; interpolated values are escaped as in those of requests, `*` matches any
  ///     segment.
  ///   - query: The query items that a request must have, decoded; it may have more. Default: none.
  ///   - headers: The header fields that a request must have, with these values. Default: none.
  ///   - body: Returns whether the body matches. Default: any body does.
  ///   - answers: The answers, in order; the last one repeats.
  public func on(
    _ method: HTTPMethod, _ path: RequestPath, query: [String: String] = [:], headers: HTTPHeaders = [:],
    body: (@Sendable (Data) -> Bool)? = nil, _ answers: StubAnswer...
  ) {
    add(StubRoute(method, path.text, query, headers, body, .answers(answers)))
  }

  /// Sets the answers of a route, computed for each request.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - path: The path without the query; interpolated values are escaped as in those of requests, `*` matches any
  ///     segment.
  ///   - query: The query items that a request must have, decoded; it may have more. Default: none.
  ///   - headers: The header fields that a request must have, with these values. Default: none.
  ///   - body: Returns whether the body matches. Default: any body does.
  ///   - answer: Returns the answer to a request; called on the subscriber's thread.
  public func on(
    _ method: HTTPMethod, _ path: RequestPath, query: [String: String] = [:], headers: HTTPHeaders = [:],
    body: (@Sendable (Data) -> Bool)? = nil, answer: @escaping @Sendable (HTTPRequest) -> StubAnswer
  ) {
    add(StubRoute(method, path.text, query, headers, body, .computed(answer)))
  }

  fileprivate func add(_ route: StubRoute) {
    state.withLock { state in
      state.routes.removeAll { $0.hasConditions(of: route) }
      state.routes.append(route)
    }
  }

  /// All requests so far, in the order of their subscription.
  public var requests: [HTTPRequest] { state.withLock { $0.requests } }

  /// Removes the requests from `requests` and `unexpectedRequests`; routes and counts are kept.
  public func forgetRequests() {
    let before = state.withLock { state in
      defer { (state.requests, state.unexpected) = ([], []) }
      return (state.requests, state.unexpected)
    }
    withExtendedLifetime(before) {}
  }

  /// The requests without an answer.
  public var unexpectedRequests: [HTTPRequest] { state.withLock { $0.unexpected } }

  /// The number of exchanges in flight.
  public var activeCount: Int { state.withLock { $0.activeCount } }

  /// The number of exchanges that were disposed before they terminated.
  public var cancelledCount: Int { state.withLock { $0.cancelledCount } }

  /// Waits until a number of requests has been sent, counted from the creation of the stub.
  ///
  /// A request counts when the steps before the first delay of its answer have been delivered.
  ///
  /// - Parameters:
  ///   - count: The number of requests.
  ///   - timeout: The maximum time to wait, in real time. Default: 10 seconds.
  /// - Returns: Whether they were sent in time.
  @discardableResult
  public func requested(_ count: Int, within timeout: Duration = .seconds(10)) async -> Bool {
    let reached = self.count.signal.filter { $0 >= count }.map { _ in true }
    let expired = Signal<Void, Never>.timer(after: timeout).map { false }
    return await reached.merge(expired).first() ?? false
  }

  /// Always `false`: it does not use the network.
  public var usesNetwork: Bool { false }

  /// Returns the exchange described by the next answer of the route.
  ///
  /// - Parameter request: The request.
  /// - Returns: The signal. Steps without a delay are sent on the subscriber's thread, later ones on the scheduler.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    Signal { [self] observer in
      let handle = Disposable()
      observer.hold(handle)
      exchange(for: request).subscribe(with: handle, under: observer.pressure) { observer.send($0) }
      // Only now: what has no delay has been delivered, and the first delay has begun.
      count.modify { $0 += 1 }
      return nil
    }
  }

  private func exchange(for request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    state.withLock { $0.requests.append(request) }
    do throws(NetworkError) {
      try request.checkForStub()
    } catch {
      return .fail(error)
    }
    guard let answer = takeAnswer(to: request)?(request) else {
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

  /// Returns the closure that computes the answer; it is the test's own and is called outside the lock.
  private func takeAnswer(to request: HTTPRequest) -> (@Sendable (HTTPRequest) -> StubAnswer)? {
    let routes = state.withLock { $0.routes }
    let matching = routes.enumerated().filter { $0.element.matches(request) }
    let best = matching.max { ($0.element.conditionCount, $0.offset) < ($1.element.conditionCount, $1.offset) }
    return state.withLock { state in
      guard let best, let index = state.routes.firstIndex(where: { $0.hasConditions(of: best.element) }) else {
        state.unexpected.append(request)
        return nil
      }
      let answer = state.routes[index].takeAnswer()
      // A route may have been set without answers.
      if answer == nil { state.unexpected.append(request) }
      return answer
    }
  }
}

/// The routes of a path in a variable, which is taken as written: decoded, or as it is sent.
extension StubTransport {
  /// Sets the answers of a route for a path that is taken as written.
  @_disfavoredOverload
  public func on(
    _ method: HTTPMethod, _ path: some StringProtocol, query: [String: String] = [:], headers: HTTPHeaders = [:],
    body: (@Sendable (Data) -> Bool)? = nil, _ answers: StubAnswer...
  ) {
    add(StubRoute(method, String(path), query, headers, body, .answers(answers)))
  }

  /// Sets the answers of a route, computed for each request, for a path that is taken as written.
  @_disfavoredOverload
  public func on(
    _ method: HTTPMethod, _ path: some StringProtocol, query: [String: String] = [:], headers: HTTPHeaders = [:],
    body: (@Sendable (Data) -> Bool)? = nil, answer: @escaping @Sendable (HTTPRequest) -> StubAnswer
  ) {
    add(StubRoute(method, String(path), query, headers, body, .computed(answer)))
  }
}

extension NetworkError.Code {
  /// Client: a ``StubTransport`` has no answer for the request.
  public static let unexpectedRequest: NetworkError.Code = 690
}

extension HTTPRequest {
  /// Throws the error with which a request fails over every transport before it is sent.
  fileprivate func checkForStub() throws(NetworkError) {
    try check()
    guard case .file(let url) = body, body.byteCount == nil else { return }
    let reason = "\(url.path) cannot be read, or is not a regular file"
    throw NetworkError(.client, .invalidBody, reason: reason, request: self)
  }
}
