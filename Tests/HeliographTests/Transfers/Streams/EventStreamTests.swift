import Foundation
import Heliograph
import HeliographTesting
import Signals
import Testing

/// Requests, events and disposal of an event stream, with answers of a stub and the test's clock.
@Suite struct EventStreamTests {
  private let kit = TestKit()

  @Test func theRequestAsksForAnEventStream() {
    kit.stub.on(.get, "/events", .never)
    let recorder = kit.events()
    #expect(kit.stub.requests.last?.headers["Accept"] == "text/event-stream")
    #expect(kit.stub.requests.last?.headers["Cache-Control"] == "no-store")
    let own = Request(.get, "/events", headers: ["Accept": "text/event-stream, */*", "Cache-Control": "no-cache"])
    let other = SignalRecorder(kit.client.events(request: own))
    #expect(kit.stub.requests.last?.headers["Accept"] == "text/event-stream, */*")
    #expect(kit.stub.requests.last?.headers["Cache-Control"] == "no-cache")
    #expect(recorder.events.isEmpty && other.events.isEmpty && kit.sentIDs == [nil, nil])
  }

  @Test func theTypeMayHaveParametersInAnyCase() {
    kit.stub.on(
      .get, "/events", .data(Data("data: a\n\n".utf8), contentType: "Text/Event-Stream ; charset=utf-8"), .never)
    #expect(kit.events().values.count == 1)
  }

  @Test func a204Completes() async {
    kit.stub.on(.get, "/events", .events("data: a\n\n"), .status(204))
    let recorder = kit.events()
    await kit.clock.advance(by: .seconds(60))
    #expect(recorder.values.count == 1 && recorder.isCompleted && kit.stub.requests.count == 2)
  }

  @Test func aPostCompletesAtItsEndAndFailsWithItsFailure() async {
    let first = StubAnswer.events("id: 1\ndata: a\n\n")
    kit.stub.on(.post, "/events", first, StubAnswer(first.steps + [.failure(.lost)]))
    let post = Request(.post, "/events", body: .json(["stream": true]))
    let completed = SignalRecorder(kit.client.events(request: post))
    #expect(completed.values.count == 1 && completed.isCompleted)
    let failed = SignalRecorder(kit.client.events(request: post))
    #expect(failed.values.count == 1 && failed.failure?.code == .connectionLost)
    await kit.clock.advance(by: .seconds(60))
    #expect(kit.stub.requests.count == 2)
  }

  @Test func disposalDuringADelaySendsNothing() async {
    kit.stub.on(.get, "/events", .events("data: a\n\n"))
    let recorder = kit.events()
    #expect(kit.clock.pendingCount == 1)
    recorder.dispose()
    #expect(kit.clock.pendingCount == 0)
    await kit.clock.advance(by: .seconds(60))
    #expect(recorder.events.count == 1 && kit.stub.requests.count == 1)
  }

  @Test func disposalInADeliveryStopsTheRest() async {
    kit.stub.on(.get, "/events", .events("data: a\n\ndata: b\n\ndata: c\n\n"))
    let recorder = SignalRecorder(kit.client.events(request: "/events").take(2))
    await kit.clock.advance(by: .seconds(60))
    #expect(recorder.values.map(\.data) == ["a", "b"] && kit.stub.requests.count == 1)
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
      #expect(recorder.events.count == count && recorder.violations.isEmpty && !recorder.hasEnded)
      #expect(transport.cancelledCount == round + 1)
    }
  }

  @Test func dataIsDecodedByTheRulesOfTheClient() throws {
    struct Delta: Decodable, Equatable { let textPart: String }
    let kit = TestKit { $0.json = JSONCoding(keys: .snakeCase) }
    kit.stub.on(
      .get, "/events", .events("event: delta\ndata: {\"text_part\":\ndata: \"a\"}\n\ndata: [DONE]\n\n"), .never)
    let events = SignalRecorder(kit.client.events(request: "/events")).values
    #expect(try events[0].decode(Delta.self) == Delta(textPart: "a"))
    let error = #expect(throws: NetworkError.self) { try events[1].decode(Delta.self) }
    #expect(error?.domain == .processing && error?.code == .malformedBody)
    #expect(error?.reason.hasPrefix("event message: ") == true)
    #expect(error?.response?.value == Data("[DONE]".utf8) && error?.request?.url.path == "/events")
    // The rules of an event of a test are the defaults.
    #expect(try ServerSentEvent(data: "{\"textPart\":\"b\"}").decode(Delta.self) == Delta(textPart: "b"))
    #expect(throws: NetworkError.self) { try ServerSentEvent(data: "").decode(Delta.self) }
  }
}
