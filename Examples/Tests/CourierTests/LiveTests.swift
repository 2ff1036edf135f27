import Foundation
import Heliograph
import HeliographTesting
import Testing

@testable import Courier

@Suite(.timeLimit(.minutes(1))) struct LiveTests {
  private let trial: Trial

  init() throws { trial = try Trial() }

  private static func stream(_ steps: LoopbackResponse.Step...) -> LoopbackResponse {
    .script([.text("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")] + steps)
  }

  /// Serves events, then the rest after the last id, then 204.
  private func serveEvents() {
    trial.server.route("GET", "/events") { request in
      switch request.header("Last-Event-ID") {
      case nil: Self.stream(.text("retry: 10\n\nid: 1\nevent: price\ndata: a\ndata: b\n\n"), .close)
      case "1": Self.stream(.text("id: 2\ndata: c\n\n"), .close)
      default: .status(204)
      }
    }
  }

  @Test func eventsArePrintedAcrossConnections() async {
    serveEvents()
    #expect(await trial.run("events", "/events") == 0)
    #expect(trial.output.text == "id: 1\nevent: price\ndata: a\ndata: b\n\nid: 2\ndata: c\n\n")
    #expect(
      trial.errors.text == """
        courier: the response has ended: connecting again, after event 1
        courier: the response has ended: connecting again, after event 2

        """)
  }

  @Test func eventsArePrintedAsJSONLines() async {
    serveEvents()
    #expect(await trial.run("events", "/events", "--json", "-q") == 0)
    #expect(
      trial.output.lines == [#"{"data":"a\nb","event":"price","id":"1"}"#, #"{"data":"c","event":"message","id":"2"}"#])
    #expect(trial.errors.text.isEmpty)
  }

  @Test func aStreamContinuesAfterAnEvent() async {
    serveEvents()
    #expect(await trial.run("events", "/events", "--last-event-id", "1") == 0)
    #expect(trial.output.text == "id: 2\ndata: c\n\n")
  }

  @Test func eventsAppearBeforeTheEnd() async {
    trial.server.route("GET", "/events") { _ in Self.stream(.text("data: a\n\n"), .hold) }
    let run = trial.start("events", "/events")
    await trial.output.wait { $0 == "data: a\n\n" }
    run.cancel()
    #expect(await run.value == 130)
    #expect(trial.errors.text == "courier: interrupted\n")
  }

  @Test func aResponseWithoutEventsIsAnError() async {
    trial.server.route("GET", "/events") { _ in .text("hello") }
    #expect(await trial.run("events", "/events") == 1)
    #expect(trial.errors.text.contains("text/event-stream"))
    #expect(await trial.run("events", "/missing") == 22)
  }

  @Test func reconnectionsAreLimitedOnDemand() async {
    trial.server.route("GET", "/events") { _ in Self.stream(.text("retry: 1\n\n"), .close) }
    #expect(await trial.run("events", "/events", "--retry", "1") == 0)
    #expect(trial.server.log.requests.count == 2)
  }

  @Test func linesArePrintedAsTheyArrive() async {
    trial.server.route("GET", "/log") { _ in
      .script([.text("HTTP/1.1 200 OK\r\n\r\none\r\n\ntw"), .text("o\nthree"), .close])
    }
    #expect(await trial.run("lines", "/log") == 0)
    #expect(trial.output.text == "one\n\ntwo\nthree\n")
  }

  @Test func linesAppearBeforeTheEnd() async {
    trial.server.route("GET", "/log") { _ in .script([.text("HTTP/1.1 200 OK\r\n\r\none\ntwo"), .hold]) }
    let run = trial.start("lines", "/log")
    await trial.output.wait { $0 == "one\n" }
    run.cancel()
    #expect(await run.value == 130)
  }
}
