import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// The connections of an event stream: when, how often and after which event.
struct EventReconnectionTests {
  private let kit = TestKit()

  @Test func afterAnEndItIsResumedAtTheLastEvent() async {
    kit.stub.on(.get, "/events", .events("id: 1\ndata: a\n\nid: 2\ndata: b\n"), .events("id: 2\ndata: b\n\n"), .never)
    let recorder = kit.events()
    expectEqual(recorder.values.map(\.data), ["a"])
    await kit.clock.advance(by: .milliseconds(2_999))
    expectEqual(kit.stub.requests.count, 1)
    await kit.clock.advance(by: .milliseconds(1))
    expectEqual(recorder.values.map(\.data), ["a", "b"])
    await kit.clock.advance(by: .seconds(3))
    expectEqual(kit.sentIDs, [nil, "1", "2"])
    expect(!recorder.hasEnded)
    expect(recorder.violations.isEmpty)
  }

  @Test func aRefreshThatHangsEndsAConnection() async {
    let kit = TestKit {
      $0.recoveries = [Recovery(scheduler: $0.scheduler) { Signal<Void, NetworkError>.never }]
    }
    kit.stub.on(.get, "/events", .status(401), .events("data: a\n\n"), .never)
    let recorder = kit.events()
    await kit.clock.advance(by: .seconds(33))
    expectEqual(recorder.values.map(\.data), ["a"])
    expectNil(recorder.failure)
  }

  @Test func refreshesThatHangReachTheLimit() async {
    let kit = TestKit {
      $0.recoveries = [Recovery(scheduler: $0.scheduler) { Signal<Void, NetworkError>.never }]
    }
    kit.stub.on(.get, "/events", .status(401))
    let recorder = kit.events(EventStreamOptions(reconnectionLimit: 1, backoff: .constant(.zero)))
    await kit.clock.advance(by: .seconds(62))
    expectNil(recorder.failure)
    await kit.clock.advance(by: .seconds(1))
    expectEqual(recorder.failure?.code, .recoveryTimedOut)
    expectEqual(kit.stub.requests.count, 2)
  }

  @Test func anEventAfterAReconnectionKeepsTheIDBefore() async {
    kit.stub.on(.get, "/events", .events("id: 1\ndata: a\n\n"), .events("data: b\n\n"), .never)
    let recorder = kit.events()
    await kit.clock.advance(by: .seconds(6))
    expectEqual(recorder.values.map(\.id), ["1", "1"])
    expectEqual(kit.sentIDs, [nil, "1", "1"])
  }

  @Test func theLastEventIDMayBeGivenAndReset() async {
    kit.stub.on(.get, "/events", .events(""), .events("id\ndata: b\n\n"), .never)
    let options = EventStreamOptions(lastEventID: "ü 7", reconnectionTime: .seconds(1), backoff: .none)
    let recorder = kit.events(options)
    await kit.clock.advance(by: .seconds(2))
    expectEqual(kit.sentIDs, ["ü 7", "ü 7", nil])
    expectEqual(recorder.values, [ServerSentEvent(data: "b")])
    // Another subscription begins anew.
    let other = kit.events(options)
    expectEqual(kit.sentIDs.last, "ü 7")
    expect(other.events.isEmpty)
  }

  @Test func theFieldOfTheRequestIsTheFirstID() async {
    kit.stub.on(.get, "/events", .events("data: a\n\n"), .never)
    let request = Request(.get, "/events", headers: ["Last-Event-ID": "5"])
    let recorder = SignalRecorder(kit.client.events(request: request))
    await kit.clock.advance(by: .seconds(3))
    expectEqual(kit.sentIDs, ["5", "5"])
    expectEqual(recorder.values.map(\.id), ["5"])
  }

  @Test func theServerStatesTheDelay() async {
    kit.stub.on(.get, "/events", .events("retry: 500\n\ndata: a\n\n"), .events("data: b\n\nretry: x\n"), .never)
    let recorder = kit.events()
    await kit.clock.advance(by: .milliseconds(499))
    expectEqual(kit.stub.requests.count, 1)
    await kit.clock.advance(by: .milliseconds(501))
    expectEqual(kit.stub.requests.count, 3)
    expectEqual(recorder.values.count, 2)
  }

  @Test func aServerCannotDemandAnEndlessLoop() async {
    kit.stub.on(.get, "/events", .events("retry: 0\n\ndata: a\n\n"), .never)
    let recorder = kit.events()
    await kit.clock.advance(by: .milliseconds(499))
    expectEqual(kit.stub.requests.count, 1)
    await kit.clock.advance(by: .milliseconds(1))
    expectEqual(kit.stub.requests.count, 2)
    expect(!recorder.hasEnded)
  }

  @Test func reconnectionsWithoutAnEventAreDelayedMore() async {
    let nothing = StubAnswer.events(": hello\n\n")
    kit.stub.on(
      .get, "/events", nothing, .failure(.lost), nothing, .events("data: a\n\n"), nothing, nothing, .never)
    let recorder = kit.events(
      EventStreamOptions(backoff: .exponential(initialDelay: .seconds(1), maximumDelay: .seconds(60))))
    // 3, 3 + 1 and 3 + 2 seconds, and once more after the event.
    var instants: [Int] = []
    for second in 1...30 {
      let count = kit.stub.requests.count
      await kit.clock.advance(by: .seconds(1))
      if kit.stub.requests.count > count { instants.append(second) }
    }
    expectEqual(instants, [3, 7, 12, 15, 19, 24])
    expectEqual(recorder.values.count, 1)
    expect(!recorder.hasEnded)
  }

  /// A proxy may end each connection after a while, and the server may send only comments.
  @Test(arguments: [[], [StubAnswer.Step.failure(NetworkError(.connectionLost))]])
  func aConnectionThatLastsResetsTheDelayAndTheLimit(_ end: [StubAnswer.Step]) async {
    let headers: HTTPHeaders = ["Content-Type": "text/event-stream"]
    let lasting = StubAnswer(
      [.head(status: 200, headers: headers), .body(Data(": hello\n\n".utf8)), .delay(.seconds(16))] + end)
    kit.stub.on(.get, "/events", lasting)
    let recorder = kit.events(
      EventStreamOptions(
        reconnectionLimit: 1, backoff: .exponential(initialDelay: .seconds(1), maximumDelay: .seconds(60))))
    await kit.clock.advance(by: .seconds(19 * 5 - 1))
    expectEqual(kit.stub.requests.count, 5)
    await kit.clock.advance(by: .seconds(1))
    expectEqual(kit.stub.requests.count, 6)
    expect(recorder.events.isEmpty)
  }

  /// A server that hangs after the head, or after its first comment, may be dead.
  @Test(arguments: [false, true]) func silenceIsNoConnectionThatLasts(_ hasComment: Bool) async {
    let comment = StubAnswer.Step.body(Data(": hello\n\n".utf8))
    let silent = StubAnswer(
      [.head(status: 200, headers: ["Content-Type": "text/event-stream"])] + (hasComment ? [comment] : [])
        + [.delay(.seconds(60)), .failure(NetworkError(.timedOut))])
    kit.stub.on(.get, "/events", silent)
    let recorder = kit.events(EventStreamOptions(reconnectionLimit: 2, backoff: .none))
    await kit.clock.advance(by: .seconds(300))
    expectEqual(kit.stub.requests.count, 3)
    expectEqual(recorder.failure?.code, .timedOut)
  }

  /// As when a phone changes its network.
  @Test func aConnectionWithCommentsUntilItTimesOutLasts() async {
    let comment = StubAnswer.Step.body(Data(": hello\n\n".utf8))
    let lasting = StubAnswer([
      .head(status: 200, headers: ["Content-Type": "text/event-stream"]), .delay(.seconds(6)), comment,
      .delay(.seconds(11)), .failure(NetworkError(.timedOut)),
    ])
    kit.stub.on(.get, "/events", lasting)
    let recorder = kit.events(EventStreamOptions(reconnectionLimit: 1, backoff: .none))
    await kit.clock.advance(by: .seconds(20 * 5))
    expectEqual(kit.stub.requests.count, 6)
    expect(recorder.events.isEmpty)
  }

  /// Otherwise a server that waits before it fails would never reach the limit.
  @Test func aConnectionThatIsNoLongerThanItsDelayDoesNotLast() async {
    let headers: HTTPHeaders = ["Content-Type": "text/event-stream"]
    kit.stub.on(.get, "/events", StubAnswer([.head(status: 200, headers: headers), .delay(.seconds(10))]))
    let recorder = kit.events(
      EventStreamOptions(reconnectionLimit: 3, reconnectionTime: .seconds(10), backoff: .none))
    await kit.clock.advance(by: .seconds(200))
    expectEqual(kit.stub.requests.count, 4)
    expect(recorder.isCompleted)
  }

  /// A connection of a moment is a failed one, even if no delay preceded it.
  @Test func aServerThatEndsEachConnectionSoonReachesTheLimit() async {
    let headers: HTTPHeaders = ["Content-Type": "text/event-stream"]
    kit.stub.on(.get, "/events", StubAnswer([.head(status: 200, headers: headers), .delay(.seconds(1))]))
    let recorder = kit.events(EventStreamOptions(reconnectionLimit: 3, reconnectionTime: .zero, backoff: .none))
    await kit.clock.advance(by: .seconds(60))
    expectEqual(kit.stub.requests.count, 4)
    expect(recorder.isCompleted)
  }

  @Test(arguments: [
    NetworkError(.timedOut), NetworkError(.cannotConnect), NetworkError(.undecodableBody),
    NetworkError(.unreachable), NetworkError(.circuitOpen),
  ]) func aTransientFailureReconnects(_ error: NetworkError) async {
    kit.stub.on(.get, "/events", .failure(error), .events("data: a\n\n"), .never)
    let recorder = kit.events()
    expect(recorder.events.isEmpty)
    await kit.clock.advance(by: .seconds(3))
    expectEqual(recorder.values.map(\.data), ["a"])
  }

  @Test(arguments: [408, 429, 500, 502, 503, 504, 521]) func aTransientStatusReconnects(_ status: Int) async {
    kit.stub.on(.get, "/events", .status(status), .events("data: a\n\n"), .never)
    let recorder = kit.events()
    await kit.clock.advance(by: .seconds(3))
    expectEqual(recorder.values.map(\.data), ["a"])
  }

  @Test func aLongerRetryAfterApplies() async {
    kit.stub.on(
      .get, "/events", .status(503, headers: ["Retry-After": "10"]), .status(503, headers: ["Retry-After": "1"]), .never
    )
    let recorder = kit.events(EventStreamOptions(backoff: .none))
    await kit.clock.advance(by: .seconds(9))
    expectEqual(kit.stub.requests.count, 1)
    await kit.clock.advance(by: .seconds(1))
    expectEqual(kit.stub.requests.count, 2)
    await kit.clock.advance(by: .seconds(3))
    expectEqual(kit.stub.requests.count, 3)
    expect(recorder.events.isEmpty)
  }

  @Test func retriesApplyOnlyToRequestsThatDoNotReconnect() async {
    let kit = TestKit { $0.retry = Retry(limit: 5, backoff: .none, codes: [.connectionLost]) }
    kit.stub.on(.get, "/events", .failure(.lost), .never)
    kit.stub.on(.post, "/events", .failure(.lost), .failure(.lost), .events("data: a\n\n"))
    var post = Request(.post, "/events")
    post.options.isIdempotent = true
    let retried = SignalRecorder(kit.client.events(request: post))
    expectEqual(retried.values.count, 1)
    expect(retried.isCompleted)
    expectEqual(kit.stub.requests.count, 3)
    let reconnected = SignalRecorder(kit.client.events(request: "/events"))
    expect(reconnected.events.isEmpty)
    expectEqual(kit.stub.requests.count, 4)
    await kit.clock.advance(by: .seconds(3))
    expectEqual(kit.stub.requests.count, 5)
  }

  @Test func theNumberOfReconnectionsMayBeLimited() async {
    kit.stub.on(.get, "/events", .events("data: a\n\n"))
    let none = kit.events(EventStreamOptions(reconnectionLimit: 0))
    expectEqual(none.values.count, 1)
    expect(none.isCompleted)
    expectEqual(kit.stub.requests.count, 1)
    kit.stub.on(.get, "/events", .failure(.lost), .failure(.lost), .events("data: a\n\n"), .failure(.lost))
    let two = kit.events(EventStreamOptions(reconnectionLimit: 2, backoff: .none))
    await kit.clock.advance(by: .seconds(60))
    // The event in between begins the count anew.
    expectEqual(two.values.count, 1)
    expectEqual(two.failure?.reason, "lost")
    expectEqual(kit.stub.requests.count, 1 + 3 + 2)
  }

  @Test func thousandsOfReconnectionsNeedNoStack() {
    kit.stub.on(.get, "/events", .events("id: 1\ndata: a\n\n"))
    let options = EventStreamOptions(reconnectionTime: .zero, backoff: .none)
    let recorder = SignalRecorder(kit.client.events(request: "/events", options: options).take(5_000))
    expectEqual(recorder.values.count, 5_000)
    expect(recorder.isCompleted)
    expect(recorder.violations.isEmpty)
  }
}
