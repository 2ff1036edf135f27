import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// Requests, events and disposal of an event stream, with answers of a stub and the test's clock.
struct EventStreamTests {
  /// A request with the current token, as an app builds it.
  private struct News: RequestConvertible {
    let token: CurrentValue<String>

    func asRequest() throws(NetworkError) -> Request {
      if token.value.isEmpty { throw NetworkError(.invalidBody, reason: "no token") }
      return Request(.get, "/events", headers: ["X-Pass": token.value], options: .with { $0.presentation = .dialog })
    }
  }

  private let kit = TestKit()

  @Test func theRequestAsksForAnEventStream() {
    kit.stub.on(.get, "/events", .never)
    let recorder = kit.events()
    expectEqual(kit.stub.requests.last?.headers["Accept"], "text/event-stream")
    expectEqual(kit.stub.requests.last?.headers["Cache-Control"], "no-store")
    let own = Request(.get, "/events", headers: ["Accept": "text/event-stream, */*", "Cache-Control": "no-cache"])
    let other = SignalRecorder(kit.client.events(request: own))
    expectEqual(kit.stub.requests.last?.headers["Accept"], "text/event-stream, */*")
    expectEqual(kit.stub.requests.last?.headers["Cache-Control"], "no-cache")
    expect(recorder.events.isEmpty)
    expect(other.events.isEmpty)
    expectEqual(kit.sentIDs, [nil, nil])
  }

  @Test func theTypeMayHaveParametersInAnyCase() {
    kit.stub.on(
      .get, "/events", .data(Data("data: a\n\n".utf8), contentType: "Text/Event-Stream ; charset=utf-8"), .never)
    expectEqual(kit.events().values.count, 1)
  }

  @Test func a204Completes() async {
    kit.stub.on(.get, "/events", .events("data: a\n\n"), .status(204))
    let recorder = kit.events()
    await kit.clock.advance(by: .seconds(60))
    expectEqual(recorder.values.count, 1)
    expect(recorder.isCompleted)
    expectEqual(kit.stub.requests.count, 2)
  }

  @Test func aPostCompletesAtItsEndAndFailsWithItsFailure() async {
    let first = StubAnswer.events("id: 1\ndata: a\n\n")
    kit.stub.on(.post, "/events", first, StubAnswer(first.steps + [.failure(.lost)]))
    let post = Request(.post, "/events", body: .json(["stream": true]))
    let completed = SignalRecorder(kit.client.events(request: post))
    expectEqual(completed.values.count, 1)
    expect(completed.isCompleted)
    let failed = SignalRecorder(kit.client.events(request: post))
    expectEqual(failed.values.count, 1)
    expectEqual(failed.failure?.code, .connectionLost)
    await kit.clock.advance(by: .seconds(60))
    expectEqual(kit.stub.requests.count, 2)
  }

  @Test func disposalDuringADelaySendsNothing() async {
    kit.stub.on(.get, "/events", .events("data: a\n\n"))
    let recorder = kit.events()
    expectEqual(kit.clock.pendingCount, 1)
    recorder.dispose()
    expectEqual(kit.clock.pendingCount, 0)
    await kit.clock.advance(by: .seconds(60))
    expectEqual(recorder.events.count, 1)
    expectEqual(kit.stub.requests.count, 1)
  }

  @Test func disposalInADeliveryStopsTheRest() async {
    kit.stub.on(.get, "/events", .events("data: a\n\ndata: b\n\ndata: c\n\n"))
    let recorder = SignalRecorder(kit.client.events(request: "/events").take(2))
    await kit.clock.advance(by: .seconds(60))
    expectEqual(recorder.values.map(\.data), ["a", "b"])
    expectEqual(kit.stub.requests.count, 1)
  }

  @Test func disposalMayRaceWithEvents() async {
    let transport = HandTransport()
    var configuration = NetworkClient.Configuration.open(transport)
    configuration.processing = .immediate
    let client = NetworkClient(configuration)
    for round in 0..<100 {
      let recorder = SignalRecorder(client.events(request: "http://127.0.0.1/events"))
      transport.head(round, 200, ["Content-Type": "text/event-stream"])
      await together(2) { thread in
        if thread == 0 { recorder.dispose() } else { for _ in 0..<20 { transport.body(round, "data: a\n\n") } }
      }
      let count = recorder.events.count
      transport.body(round, "data: b\n\n")
      expectEqual(recorder.events.count, count)
      expect(recorder.violations.isEmpty)
      expect(!recorder.hasEnded)
      expectEqual(transport.cancelledCount, round + 1)
    }
  }

  @Test func dataIsDecodedByTheRulesOfTheClient() throws {
    struct Delta: Decodable, Equatable { let textPart: String }
    let kit = TestKit { $0.json = JSONCoding(keys: .snakeCase) }
    kit.stub.on(
      .get, "/events", .events("event: delta\ndata: {\"text_part\":\ndata: \"a\"}\n\ndata: [DONE]\n\n"), .never)
    let events = SignalRecorder(kit.client.events(request: "/events")).values
    try expectEqual(events[0].decode(Delta.self), Delta(textPart: "a"))
    let error = #expect(throws: NetworkError.self) { try events[1].decode(Delta.self) }
    expectEqual(error?.code, .malformedBody)
    expectEqual(error?.reason.hasPrefix("event message: "), true)
    expectEqual(error?.response?.value, Data("[DONE]".utf8))
    expectEqual(error?.request?.url.path, "/events")
    // The rules of an event of a test are the defaults.
    try expectEqual(ServerSentEvent(data: "{\"textPart\":\"b\"}").decode(Delta.self), Delta(textPart: "b"))
    #expect(throws: NetworkError.self) { try ServerSentEvent(data: "").decode(Delta.self) }
  }

  @Test func aReplayAfterATokenRefreshIsBuiltAnew() async {
    let token = CurrentValue("old")
    let kit = TestKit {
      $0.recoveries = [.renewing(token)]
    }
    kit.stub.on(.get, "/events", .events("id: 1\ndata: a\n\n"), .status(401), .events("data: b\n\n"), .status(400))
    let recorder = SignalRecorder(kit.client.events(request: News(token: token)))
    await kit.clock.advance(by: .seconds(7))
    expectEqual(recorder.values.map(\.data), ["a", "b"])
    expectEqual(kit.stub.requests.map { $0.headers["X-Pass"] }, ["old", "old", "new", "new"])
    expectEqual(kit.sentIDs, [nil, "1", "1", "1"])
    // The last failure is presented as the request says, and not as that of a connection.
    expectEqual(recorder.failure?.presentation, .dialog)
  }

  @Test func aRequestThatCannotBeBuiltAgainEndsTheStream() async {
    let token = CurrentValue("old")
    kit.stub.on(.get, "/events", .events("data: a\n\n"))
    let recorder = SignalRecorder(kit.client.events(request: News(token: token)))
    token.value = ""
    await kit.clock.advance(by: .seconds(60))
    expectEqual(recorder.values.count, 1)
    expectEqual(recorder.failure?.code, .invalidBody)
    expectEqual(kit.stub.requests.count, 1)
  }
}
