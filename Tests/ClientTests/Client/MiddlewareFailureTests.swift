import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// What answers and failures of middleware say about the request and its host.
struct MiddlewareFailureTests {
  /// Answers or fails by itself, before or after the exchange.
  private struct Own: Middleware {
    let events: Signal<TransportEvent, NetworkError>
    var passesOn = false

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      passesOn ? next(request).collect().flatMap { _ in events } : events
    }
  }

  /// Gets a token before each request.
  private struct Signing: Middleware {
    let tokens: NetworkClient

    func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
      tokens.enqueue(request: Request(.post, "/oauth"), resultType: NoContent.self).flatMap { _ in next(request) }
    }
  }

  private let clock = VirtualScheduler()
  private let stub: StubTransport

  init() { stub = StubTransport(scheduler: clock) }

  private func client(_ middleware: [any Middleware] = []) -> NetworkClient {
    var configuration = NetworkClient.Configuration(
      baseURL: URL(string: "https://a.example"), services: [], transport: stub)
    (configuration.scheduler, configuration.processing) = (clock, .immediate)
    configuration.reachability = UnwatchedReachability()
    configuration.middleware = middleware
    return NetworkClient(configuration)
  }

  /// Returns the evidence about other hosts for a failure after a request with middleware of its own.
  private func otherHosts(after own: Own) throws -> Evidence.OtherHosts? {
    stub.on(.get, "https://a.example/a", .status(200))
    stub.on(.get, "https://b.example/b", .failure(NetworkError(.cannotConnect)))
    let client = client()
    expect(
      SignalRecorder(client.exchange(request: Request(.get, "/a", options: .with { $0.middleware = [own] }))).hasEnded)
    let recorder = SignalRecorder(client.exchange(request: "https://b.example/b"))
    return try require(recorder.failure).attribution.evidence?.otherHosts
  }

  @Test func anAnswerOfMiddlewareIsNoAnswerOfTheHost() throws {
    let url = try require(URL(string: "https://a.example/a"))
    let answer: [TransportEvent] = [.head(HTTPResponse(statusCode: 200, url: url)), .body(Data("1".utf8))]
    try expectEqual(otherHosts(after: Own(events: .from(answer))), .unknown)
    expect(stub.requests(to: "/a").isEmpty)
    try expectEqual(otherHosts(after: Own(events: .from(answer), passesOn: true)), .answered)
  }

  @Test(arguments: [false, true]) func aFailureOfMiddlewareIsNoFailureOfTheHost(_ passesOn: Bool) throws {
    for code in [.timedOut, .connectionLost] as [NetworkError.Code] {
      let otherHosts = try otherHosts(after: Own(events: .fail(NetworkError(code)), passesOn: passesOn))
      // The host has responded, whatever middleware makes of it.
      expectEqual(otherHosts, passesOn ? .answered : .unknown)
    }
  }

  /// Returns the evidence about other hosts for a failure after that of a request whose middleware changes its events.
  private func otherHosts(
    _ answer: StubAnswer,
    _ change:
      @escaping @Sendable (Signal<TransportEvent, NetworkError>) -> Signal<
        TransportEvent, NetworkError
      >
  ) -> Evidence.OtherHosts? {
    struct Changing: Middleware {
      let change: @Sendable (Signal<TransportEvent, NetworkError>) -> Signal<TransportEvent, NetworkError>

      func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
        request.url.path == "/a" ? change(next(request)) : next(request)
      }
    }
    stub.on(.get, "https://a.example/a", answer)
    stub.on(.get, "https://b.example/b", .failure(NetworkError(.connectionLost)))
    var configuration = client([Changing(change: change)]).configuration
    configuration.trustedOrigins = [Origin(host: "b.example")]
    let client = NetworkClient(configuration)
    expect(SignalRecorder(client.exchange(request: "/a")).hasEnded)
    return SignalRecorder(client.exchange(request: "https://b.example/b")).failure?.attribution.evidence?.otherHosts
  }

  @Test func aFallbackOfMiddlewareIsNoResponseOfTheHost() throws {
    let url = try require(URL(string: "https://a.example/a"))
    let stored = [TransportEvent.head(HTTPResponse(statusCode: 200, url: url)), .body(Data("1".utf8))]
    expectEqual(otherHosts(.failure(NetworkError(.cannotConnect))) { $0.catch { _ in .from(stored) } }, .unknown)
  }

  @Test func aResponseThatMiddlewareRejectsIsOneOfTheHost() {
    let otherHosts = otherHosts(.json("1")) { events in
      events.flatMap { event in
        if case .body = event { return .fail(NetworkError(.invalidResponse, reason: "wrong checksum")) }
        return .just(event)
      }
    }
    expectEqual(otherHosts, .answered)
  }

  @Test func theFailureOfARepetitionIsOneOfTheHost() {
    stub.on(.get, "https://c.example/c", .failure(NetworkError(.connectionLost)))
    let otherHosts = otherHosts(.status(200)) { [stub] events in
      events.collect().flatMap { _ in
        stub.on(.get, "https://a.example/a", .failure(NetworkError(.connectionLost)))
        return events
      }
    }
    expectEqual(otherHosts, .failed)
  }

  @Test func anEndWithoutAResponseMayBeOfMiddleware() {
    expectEqual(otherHosts(.json("1")) { $0.filter { _ in false } }, .answered)
    expectEqual(otherHosts(.never) { $0.take(until: Signal<Int, Never>.just(1)) }, .unknown)
  }

  /// Returns the recorders of two requests that share an exchange, after the total timeout of the second one.
  private func members(of client: NetworkClient) -> [SignalRecorder<Response<Data>, NetworkError>] {
    let recorders = [nil, Duration.seconds(5)].map { timeout in
      let options = RequestOptions.with {
        $0.isCoalesced = true
        if let timeout { $0.totalTimeout = timeout }
      }
      return SignalRecorder(client.exchange(request: Request(.get, "/a", options: options)))
    }
    clock.advance(by: .seconds(6))
    return recorders
  }

  /// Middleware has moved the request, which then waits in vain.
  @Test func theTimeoutOfAMovedMemberIsAFailureOfItsNewHost() {
    struct Moving: Middleware {
      func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
        guard request.url.path == "/a", let url = URL(string: "https://b.example/a") else { return next(request) }
        var moved = request
        moved.url = url
        return next(moved)
      }
    }
    stub.on(.get, "https://b.example/a", .never)
    stub.on(.get, "https://a.example/c", .failure(NetworkError(.connectionLost)))
    var configuration = client([Moving()]).configuration
    configuration.trustedOrigins = [Origin(host: "b.example")]
    let client = NetworkClient(configuration)
    let recorders = members(of: client)
    expectEqual(recorders[1].failure?.request?.url.host, "b.example")
    let recorder = SignalRecorder(client.exchange(request: "/c"))
    expectEqual(recorder.failure?.attribution.evidence?.otherHosts, .failed)
  }

  @Test(arguments: [false, true]) func theTimeoutOfAMemberIsAFailureOfTheHost(_ hasMiddleware: Bool) {
    struct Passing: Middleware {
      func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
        next(request)
      }
    }
    stub.on(.get, "https://a.example/a", .never)
    stub.on(.get, "https://b.example/b", .failure(NetworkError(.connectionLost)))
    let client = client(hasMiddleware ? [Passing()] : [])
    let recorders = members(of: client)
    expectEqual(recorders.map(\.hasEnded), [false, true])
    let recorder = SignalRecorder(client.exchange(request: "https://b.example/b"))
    expectEqual(recorder.failure?.attribution.evidence?.otherHosts, .failed)
  }

  @Test func aFailureThatMiddlewarePassesOnIsOneOfTheHost() throws {
    struct Passing: Middleware {
      func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
        next(request)
      }
    }
    stub.on(.get, "https://a.example/a", .failure(NetworkError(.cannotConnect)))
    stub.on(.get, "https://b.example/b", .failure(NetworkError(.cannotConnect)))
    let client = client([Passing()])
    let recorders = ["https://a.example/a", "https://b.example/b"].map { (request: Request) in
      SignalRecorder(client.exchange(request: request))
    }
    expectEqual(recorders.map { $0.failure?.attribution.evidence?.otherHosts }, [.unknown, .failed])
  }

  private func recorder(
    _ request: Request, _ middleware: any Middleware
  ) -> SignalRecorder<Response<Data>, NetworkError> {
    var configuration = client([middleware]).configuration
    configuration.waitsForConnectivity = true
    configuration.retry = Retry(limit: 1, backoff: .none)
    let recorder = SignalRecorder(NetworkClient(configuration).exchange(request: request))
    clock.advance(by: .seconds(60))
    return recorder
  }

  /// Middleware may say that it has no network for a request of its own.
  @Test func anOrderIsNotPlacedTwiceIfMiddlewareLacksANetworkAfterIt() {
    stub.on(.post, "/order", .status(200))
    let recorder = recorder(
      Request(.post, "/order"), Own(events: .fail(NetworkError(.unreachable)), passesOn: true))
    expectEqual(recorder.failure?.code, .transformFailed)
    expectEqual((recorder.failure?.underlying as? NetworkError)?.code, .unreachable)
    expectEqual(stub.requests.count, 1)
  }

  @Test func anOrderThatTheTransportHasNotSentWaitsForANetwork() {
    stub.on(.post, "/order", .failure(NetworkError(.unreachable)), .status(200))
    stub.on(.post, "/oauth", .status(204))
    let recorder = recorder(Request(.post, "/order"), Signing(tokens: client()))
    expectEqual(recorder.values.map(\.statusCode), [200], "\(recorder.events)")
    expectEqual(stub.requests(to: "/order").count, 2)
  }

  /// The request for the token has failed, which the retry sends again with the request that needs it.
  @Test func aRequestIsRetriedAfterItsMiddlewareFailedToPost() {
    stub.on(.get, "/a", .status(200))
    stub.on(.post, "/oauth", .failure(NetworkError(.connectionLost)), .status(204))
    let recorder = recorder("/a", Signing(tokens: client()))
    expectEqual(recorder.values.map(\.statusCode), [200], "\(recorder.events)")
    expectEqual(stub.requests.map(\.url.path), ["/oauth", "/oauth", "/a"])
  }

  @Test func anOrderIsNotRetriedAfterItsMiddlewareFailedToPost() {
    stub.on(.post, "/oauth", .failure(NetworkError(.connectionLost)))
    let recorder = recorder(Request(.post, "/order"), Signing(tokens: client()))
    expectEqual(recorder.failure?.code, .connectionLost)
    expectEqual(stub.requests.count, 1)
  }
}
