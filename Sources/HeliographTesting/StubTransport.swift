public import Foundation
public import Heliograph

/// A transport with scripted responses, for tests of view models and policies without a network.
///
/// ```swift
/// let stub = StubTransport()
/// stub.on(.get, "/users/1", .json(User(name: "Ada")))
/// stub.on(.get, "/search", query: ["q": "lamp"], .json(#"[{"id": 7}]"#))
/// stub.on(.post, "/orders") { request in
///   .json(#"{"id": 1}"#, status: request.headers["If-Match"] == nil ? 201 : 200)
/// }
/// let client = NetworkClient(.init(baseURL: URL(string: "https://api.example.com"), transport: stub))
/// ```
/// If several routes match a request, the one with the most conditions is used; ties go to the one with the most
/// literal segments, then to the latest. A method other than `*` and a path without `**` count as one more segment
/// each. Each request takes the next answer of its route; the last one repeats. A `GET` route also answers `HEAD` if no
/// `HEAD` route matches. Answers pass the same validation and decoding as responses from servers. A request that
/// matches no route fails with a `client` error that names the nearest route and the difference, and
/// ``verify(unusedRoutes:)`` at the end of a test reports it again. ``TestKit`` connects a stub, a client and a virtual
/// clock.
///
/// Invalid requests fail as with every other transport, including those with a missing file or with a stream whose
/// length differs from the declared one. A stream is read before the request is answered, at most its first 64 MiB.
/// The total timeout of a request applies as with the built-in transports, measured by its client or, without a client,
/// on the stub's scheduler. Without a kit or a ``VirtualScheduler``, delays and ``StubAnswer/never`` take real time.
public final class StubTransport: Transport {
  private struct State {
    var routes: [StubRoute] = []
    var requests: [HTTPRequest] = []
    var unexpected: [(request: HTTPRequest, reason: String)] = []
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
  ///   - method: The method; `*` matches any.
  ///   - path: The path, including the base path of the client; interpolated values are escaped as in requests. `*`
  ///     matches any segment, a final `**` any remaining segments, `*` alone any path. A query in the path counts as
  ///     `query`, and the host of an absolute URL is a further condition.
  ///   - query: The decoded query items that a request must have; further ones are allowed. Default: none.
  ///   - headers: The header fields that a request must have, with these values. Default: none.
  ///   - body: Returns whether the body matches; it may be called several times for a request. Such a route replaces no
  ///     other. Default: any body matches.
  ///   - answers: The answers, in order; the last one repeats.
  public func on(
    _ method: HTTPMethod, _ path: RequestPath, query: [String: String] = [:], headers: HTTPHeaders = [:],
    body: (@Sendable (Data) -> Bool)? = nil, _ answers: StubAnswer...
  ) {
    add(StubRoute(method, RoutePath(path.text, query: query), headers, body, .scripted(answers)))
  }

  /// Sets the answers of a route, computed for each request.
  ///
  /// `answer` is called on any thread, for the first attempt usually the subscriber's. An error that it throws fails
  /// the exchange: a ``/Heliograph/NetworkError`` unchanged, any other as for a request that matches no route. The
  /// other parameters are those of ``on(_:_:query:headers:body:_:)-(_,RequestPath,_,_,_,_)``.
  public func on(
    _ method: HTTPMethod, _ path: RequestPath, query: [String: String] = [:], headers: HTTPHeaders = [:],
    body: (@Sendable (Data) -> Bool)? = nil, answer: @escaping @Sendable (HTTPRequest) throws -> StubAnswer
  ) {
    add(StubRoute(method, RoutePath(path.text, query: query), headers, body, .computed(answer)))
  }

  func add(_ route: StubRoute) {
    // A closure of the former route may hold the last reference to an object that cancels a request at its end.
    state.discardWithLock { state in
      defer { state.routes.append(route) }
      return state.routes.firstIndex { $0.hasConditions(of: route) }.map { state.routes.remove(at: $0) }
    }
  }

  /// All requests so far, in the order of their subscription; a stream is replaced by its bytes once it has been read.
  public var requests: [HTTPRequest] { state.withLock { $0.requests } }

  /// Returns the requests to a path, in the order of their subscription.
  ///
  /// ```swift
  /// #expect(stub.requests(to: "/orders", method: .post).count == 1)
  /// ```
  /// - Parameters:
  ///   - path: The path, as for a route: with wildcards or a query.
  ///   - method: The method. Default: any.
  /// - Returns: The requests; see ``requests``.
  public func requests(to path: RequestPath, method: HTTPMethod? = nil) -> [HTTPRequest] {
    let path = RoutePath(path.text)
    return requests.filter { request in
      (method ?? request.method) == request.method && path.matches(RouteTarget(request.url.absoluteString))
    }
  }

  /// Removes the requests from `requests` and `unexpectedRequests`; routes and counts are kept.
  public func forgetRequests() {
    state.discardWithLock { state in
      defer { (state.requests, state.unexpected) = ([], []) }
      return (state.requests, state.unexpected)
    }
  }

  /// The requests that matched no route, or whose closure threw an error other than a ``/Heliograph/NetworkError``.
  public var unexpectedRequests: [HTTPRequest] { state.withLock { $0.unexpected.map(\.request) } }

  /// Throws if a request matched no route, or if a route or one of its answers was unused.
  ///
  /// ```swift
  /// try kit.stub.verify()  // the last line of a test
  /// ```
  /// - Parameter unusedRoutes: Whether unused routes and answers are reported. Pass `false` for a stub that many tests
  ///   share. Default: `true`.
  /// - Throws: An error whose description has one line for each unexpected request, with the nearest route, and for
  ///   each route with unused answers.
  public func verify(unusedRoutes: Bool = true) throws {
    let (unexpected, routes) = state.withLock { ($0.unexpected, $0.routes) }
    let unused = unusedRoutes ? routes.compactMap(\.unusedDescription) : []
    let problems = unexpected.map { "\($0.request): \($0.reason)" } + unused
    guard problems.isEmpty else { throw StubVerificationError(problems: problems) }
  }

  /// The number of exchanges in flight.
  public var activeCount: Int { state.withLock { $0.activeCount } }

  /// The number of exchanges that were disposed before they terminated.
  public var cancelledCount: Int { state.withLock { $0.cancelledCount } }

  /// Waits until a number of requests has been sent, counted from the creation of the stub.
  ///
  /// A request counts once the steps before the first delay of its answer have been sent, or once it has been cancelled
  /// while its stream is read. Off the main actor the client may not have received them yet: a test of a retry also
  /// waits for `kit.clock.pendingCount` before it advances the clock.
  ///
  /// - Parameters:
  ///   - count: The number of requests to wait for.
  ///   - timeout: The maximum time to wait, in real time. Default: 10 seconds.
  /// - Returns: Whether the requests were sent in time.
  @discardableResult
  public func requested(_ count: Int, within timeout: Duration = .seconds(10)) async -> Bool {
    let reached = self.count.signal.filter { $0 >= count }.map { _ in true }
    let expired = Signal<Void, Never>.timer(after: timeout).map { false }
    // A cancelled task receives no value.
    return await reached.merge(expired).first() ?? (self.count.value >= count)
  }

  /// Always `false`: a stub does not use the network.
  public var usesNetwork: Bool { false }

  /// Returns the exchange described by the next answer of the route.
  ///
  /// - Parameter request: The request to answer.
  /// - Returns: A signal of the exchange's events. Steps before the first delay are sent on the subscriber's thread, or
  ///   on that of the request's stream; later ones on the scheduler.
  public func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    if request.needsDeadline { return request.limited(on: scheduler, send) }
    return started { [self] in
      exchange(for: request)
    } afterwards: { [self] in
      // A stream may not have been read yet.
      if case .stream = request.body { clock?.recordEvent() } else { countRequest() }
    }
  }

  /// Returns a signal that calls a closure after each subscription to the signal that it makes.
  private func started(
    _ make: @escaping @Sendable () -> Signal<TransportEvent, NetworkError>,
    afterwards: @escaping @Sendable () -> Void
  ) -> Signal<TransportEvent, NetworkError> {
    Signal { observer in
      defer { afterwards() }
      return make().subscribe(for: observer, under: observer.pressure) { observer.send($0) }
    }
  }

  /// Counts a request after the subscription to its answer, which has delivered the steps before the first delay.
  private func countRequest() {
    count.modify { $0 += 1 }
    clock?.recordEvent()
  }

  private var clock: TestClock? { scheduler as? TestClock }

  private func exchange(for request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    state.withLock { $0.requests.append(request) }
    // A stream is counted once: with its answer, or when it is cancelled before.
    let counting = Disposable { [self] in countRequest() }
    do throws(NetworkError) {
      try request.checkForStub()
    } catch {
      if case .stream = request.body { return counted(.fail(error), by: counting) }
      return .fail(error)
    }
    let progress = StubProgress(of: request)
    guard case .stream(let stream) = request.body else { return tracked(progress.limiting(answer(to: request))) }
    let events = StubbedStream(stream: stream, request: request).read().map { [self] data in
      var received = request
      received.body = .data(data)
      state.withLock { state in
        // Replaces the latest of several attempts.
        if let index = state.requests.lastIndex(of: request) { state.requests[index] = received }
      }
      progress.recordEndOfBody()
      return answer(to: received)
    }
    let answers = events.catch { .just(.fail($0)) }.flatMap { [self] events in counted(events, by: counting) }
    return tracked(progress.limiting(answers.on(dispose: { counting.dispose() })))
  }

  /// Returns the answer to a stream, which counts the request.
  private func counted(
    _ answer: Signal<TransportEvent, NetworkError>, by counting: Disposable
  ) -> Signal<TransportEvent, NetworkError> {
    started({ answer }, afterwards: { counting.dispose() })
  }

  private func answer(to request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    do {
      return try takeAnswer(to: request).get()(request).events(for: request, on: scheduler)
    } catch let error as NetworkError {
      return .fail(error.attaching(request))
    } catch {
      return .fail(unexpected(request, "the stub's closure threw \(error)", error))
    }
  }

  /// Records a request without an answer, and returns its error.
  private func unexpected(_ request: HTTPRequest, _ reason: String, _ error: (any Error)? = nil) -> NetworkError {
    state.withLock { $0.unexpected.append((request, reason)) }
    return NetworkError(.unexpectedRequest, reason: reason, request: request, underlying: error)
  }

  private func tracked(_ events: Signal<TransportEvent, NetworkError>) -> Signal<TransportEvent, NetworkError> {
    events.on(
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

  /// Returns the test's closure that computes the answer, to be called outside the lock.
  private func takeAnswer(
    to request: HTTPRequest
  ) -> Result<@Sendable (HTTPRequest) throws -> StubAnswer, NetworkError> {
    let routes = state.withLock { $0.routes }
    let target = RouteTarget(request.url.absoluteString)
    var matching = routes.filter { $0.matches(request, as: request.method, at: target) }
    if request.method == .head, !matching.contains(where: { $0.method == .head }) {
      matching = routes.filter { $0.matches(request, as: .get, at: target) }
    }
    let best = matching.mostSpecific(by: \.specificity)
    let answer = state.withLock { state in
      // The test may have replaced the route meanwhile.
      let index = best.flatMap { best in state.routes.firstIndex { $0.hasConditions(of: best) } }
      return index.flatMap { state.routes[$0].takeAnswer() }
    }
    if let answer { return .success(answer) }
    // A route may have been set without answers.
    let nearest = (best.map { [$0] } ?? routes)
      .map { (route: "\($0)", differences: $0.differences(from: request, at: target)) }.nearest
    let reason = nearest.map { "no matching route; " + $0 } ?? "the stub has no routes"
    return .failure(unexpected(request, reason))
  }
}

extension HTTPRequest {
  /// Throws the error that every transport throws before an invalid request is sent.
  fileprivate func checkForStub() throws(NetworkError) {
    try check()
    guard case .file(let url) = body, body.byteCount == nil else { return }
    throw failure(ofFile: url)
  }
}
