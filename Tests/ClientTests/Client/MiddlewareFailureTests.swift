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
      try expectEqual(otherHosts(after: Own(events: .fail(NetworkError(code)), passesOn: passesOn)), .unknown)
    }
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
}
