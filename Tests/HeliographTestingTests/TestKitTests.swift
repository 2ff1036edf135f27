import Foundation
import Heliograph
import HeliographTesting
import TestSupport
import Testing

/// A view model as an app has it: on the main actor, async.
@MainActor
private final class Profile {
  private let client: NetworkClient
  private(set) var name = ""
  private(set) var message = ""
  private(set) var task: Task<Void, Never>?

  init(_ client: NetworkClient) { self.client = client }

  func load() {
    task = Task {
      do throws(NetworkError) {
        name = try await client.value(of: "/name", as: String.self)
      } catch {
        message = error.message
      }
    }
  }

  func subscribe() -> Disposable {
    client.enqueue(request: "/name", resultType: String.self)
      .subscribeOnMain(onValue: { [weak self] in self?.name = $0.value }, onFailure: { _ in })
  }
}

/// The kit, the clock that drains the main actor, and the stub's routes.
@MainActor
struct TestKitTests {
  @Test func theClockBringsEventsToTheMainActor() async {
    let kit = TestKit()
    kit.stub.on(.get, "/name", .text("Ada").delayed(by: .seconds(60)))
    let (awaiting, subscribing) = (Profile(kit.client), Profile(kit.client))
    awaiting.load()
    let handle = subscribing.subscribe()
    await kit.clock.advance(by: .seconds(59))
    expect(awaiting.name.isEmpty)
    expect(subscribing.name.isEmpty)
    await kit.clock.advance(by: .seconds(1))
    expectEqual(awaiting.name, "Ada")
    expectEqual(subscribing.name, "Ada")
    expectEqual(kit.clock.now, .seconds(60))
    handle.dispose()
  }

  #if compiler(>=6.2)
  @Test func aModelOnTheMainActorNeedsNoOtherThread() async {
    let kit = TestKit()
    kit.stub.on(.get, "/name", .text("Ada"), .text("Bob").delayed(by: .seconds(1)))
    let profile = Profile(kit.client)
    profile.load()
    await mainQueueTurn()
    expectEqual(profile.name, "Ada")
    profile.load()
    await mainQueueTurn()
    expectEqual(kit.stub.requests.count, 2)
    expectEqual(kit.stub.activeCount, 1)
    await kit.clock.advance(by: .seconds(1))
    expectEqual(profile.name, "Bob")
  }

  #endif

  @Test func retriesRunInVirtualTime() async {
    let kit = TestKit { $0.retry = Retry(limit: 2, backoff: .constant(.seconds(3_600))) }
    kit.stub.on(.get, "/name", .status(503), .status(503), .text("Ada"))
    let profile = Profile(kit.client)
    profile.load()
    await kit.clock.advance(by: .seconds(3_600))
    expect(profile.name.isEmpty)
    expectEqual(kit.stub.requests.count, 2)
    await kit.clock.advance(by: .seconds(3_600))
    expectEqual(profile.name, "Ada")
    expectEqual(kit.stub.requests.count, 3)
  }

  @Test func theRetryBudgetIsRefilledInVirtualTime() async throws {
    let kit = TestKit()
    for client in [kit.client, kit.makeClient()] {
      let budget = try require(client.configuration.retryBudget)
      while budget.withdraw() {}
      expectEqual(budget.availableCount, 0)
      await kit.clock.advance(by: .seconds(3))
      expectEqual(budget.availableCount, 3)
    }
  }

  @Test func anotherClientHasTheBaseURLOfTheKit() {
    let (own, other) = (URL(string: "https://a.example/v1"), URL(string: "https://b.example"))
    let kit = TestKit(baseURL: own)
    expectEqual(kit.makeClient().configuration.baseURL, own)
    expectEqual(kit.makeClient(baseURL: other).configuration.baseURL, other)
  }

  @Test(
    "P10",
    arguments: [
      StubAnswer.never, .text("Ada").delayed(by: .seconds(21)),
      StubAnswer([.head(status: 200), .delay(.seconds(10)), .delay(.seconds(11)), .body(Data("Ada".utf8))]),
    ])
  func idleTimeoutsRunInVirtualTime(_ answer: StubAnswer) async {
    let kit = TestKit { $0.idleTimeout = .seconds(20) }
    kit.stub.on(.get, "/name", answer)
    let recorder = SignalRecorder(kit.client.enqueue(request: "/name", resultType: String.self))
    await kit.clock.advance(by: .milliseconds(19_999))
    expect(recorder.events.isEmpty)
    await kit.clock.advance(by: .milliseconds(1))
    expect(recorder.values.isEmpty)
    expectEqual(recorder.failure?.code, .timedOut)
    expectEqual(recorder.failure?.isTimeout, true)
    expectEqual(kit.stub.activeCount, 0)
    expectEqual(kit.clock.pendingCount, 0)
  }

  /// Of a real server, the time of the whole request tells.
  @Test(arguments: [StubAnswer.never, .timeout]) func aServerThatDoesNotRespondIsAtFault(_ answer: StubAnswer) async {
    let kit = TestKit()
    kit.stub.on(.get, "/name", answer)
    let recorder = SignalRecorder(kit.client.enqueue(request: "/name", resultType: String.self))
    await kit.clock.advance(by: .seconds(60))
    expectEqual(recorder.failure?.attribution.party, .server)
    expectEqual(
      recorder.failure?.message(in: .english), "The server took too long to respond. Please try again later.")
  }

  @Test("P10") func bytesRestartTheIdleTimeout() async {
    let kit = TestKit { $0.idleTimeout = .seconds(20) }
    let steps: [StubAnswer.Step] = [
      .delay(.seconds(20)), .head(status: 200), .delay(.seconds(20)), .body(Data("A".utf8)),
    ]
    kit.stub.on(
      .get, "/name", StubAnswer(steps + [.delay(.seconds(20)), .body(Data("da".utf8)), .delay(.seconds(20))]))
    let recorder = SignalRecorder(kit.client.enqueue(request: "/name", resultType: String.self))
    await kit.clock.advance(by: .seconds(80))
    expectEqual(recorder.values.map(\.value), ["Ada"])
    expect(recorder.isCompleted)
  }

  @Test func theClockEndsWhatBelongsToDeallocatedObjects() async {
    let kit = TestKit()
    kit.stub.on(.get, "/name", .never)
    var owner: Profile? = Profile(kit.client)
    if let owner { kit.client.exchange(request: "/name").bound(to: owner).subscribe { _ in } }
    await kit.clock.advance()
    expectEqual(kit.stub.activeCount, 1)
    owner = nil
    await kit.clock.advance()
    expectEqual(kit.stub.cancelledCount, 1)
    expectEqual(kit.stub.activeCount, 0)
  }

  @Test func pathsAreThoseOfRequests() async throws {
    let kit = TestKit()
    let id = "bed 7/north"
    kit.stub.on(.get, "/plots/\(id)", .text("plot"))
    kit.stub.on(.get, "/a b") { _ in .text("decoded") }
    let variable = "/plots/*/beds"
    kit.stub.on(.get, variable, .text("beds"))
    try await expectEqual(kit.client.value(of: "/plots/\(id)", as: String.self), "plot")
    try await expectEqual(kit.client.value(of: "/a%20b", as: String.self), "decoded")
    try await expectEqual(kit.client.value(of: "/plots/\(id)/beds", as: String.self), "beds")
    expect(kit.stub.unexpectedRequests.isEmpty)
  }

  @Test func requestedWaitsForRequests() async {
    let kit = TestKit()
    kit.stub.on(.get, "/name", .never)
    let (first, second) = (Profile(kit.client), Profile(kit.client))
    first.load()
    second.load()
    await expect(kit.stub.requested(2))
    await expectEqual(kit.stub.requested(3, within: .milliseconds(20)), false)
    first.task?.cancel()
    await first.task?.value
    expectEqual(kit.stub.cancelledCount, 1)
    expectEqual(first.message, NetworkError.cancellation.message)
    second.task?.cancel()
  }

  @Test func theRouteWithTheMostConditionsAnswers() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/s", query: ["q": "a b", "page": "2"], .text("both"))
    kit.stub.on(.get, "/s", query: ["q": "a b"], .text("query"))
    kit.stub.on(.get, "/s", .text("any"))
    kit.stub.on(.get, "/s", headers: ["x-kind": "k"], .text("header"))
    kit.stub.on(.post, "/s", body: { String(decoding: $0, as: UTF8.self).contains("7") }, .text("body"))
    kit.stub.on(.post, "/s") { .text("\($0.bodyData.count) bytes") }
    func answer(_ request: Request) async throws -> String { try await kit.client.value(of: request, as: String.self) }
    try await expectEqual(answer(Request(.get, "/s", query: ["page": 2, "q": "a b"])), "both")
    try await expectEqual(answer(Request(.get, "/s", query: ["q": "a b", "page": 3])), "query")
    try await expectEqual(answer(Request(.get, "/s", query: ["q": "c"])), "any")
    try await expectEqual(answer(Request(.get, "/s", headers: ["X-Kind": "k"])), "header")
    try await expectEqual(answer(Request(.post, "/s", body: .json(["id": 7]))), "body")
    try await expectEqual(answer(Request(.post, "/s", body: .json(["id": 8]))), "8 bytes")
    kit.stub.on(.get, "/s", .text("replaced"))
    try await expectEqual(answer(Request(.get, "/s")), "replaced")
    expect(kit.stub.unexpectedRequests.isEmpty)
    _ = try? await answer(Request(.delete, "/s"))
    expectEqual(kit.stub.unexpectedRequests.count, 1)
  }

  /// A stub that took an unescaped path for an escaped one would hide what a server sees.
  @Test func pathsAreComparedBySegment() async throws {
    let kit = TestKit()
    kit.stub.on(.get, "/books/a b/pages/*", .text("page"))
    try await expectEqual(kit.client.value(of: "/books/\("a b")/pages/\("1/2")", as: String.self), "page")
    kit.stub.on(.get, "/books/a/b", .text("two"))
    let escaped = SignalRecorder(kit.client.exchange(request: "/books/\("a/b")"))
    expectEqual(escaped.failure?.code, .unexpectedRequest)
    kit.stub.on(.get, "/books/a%2Fb", .text("one"))
    try await expectEqual(kit.client.value(of: "/books/\("a/b")", as: String.self), "one")
  }

  @Test func valuesAreEncodedAsTheClientDecodesThem() async throws {
    struct Event: Codable, Sendable, Equatable { let at: Date }
    let kit = TestKit()
    let event = Event(at: Date(timeIntervalSince1970: 0.25))
    kit.stub.on(.get, "/event", .json(event), .json([event]))
    try await expectEqual(kit.client.value(of: "/event", as: Event.self), event)
    try await expectEqual(kit.client.value(of: "/event", as: [Event].self), [event])
    kit.stub.on(.get, "/nan", .json(Double.nan))
    expectEqual(SignalRecorder(kit.client.exchange(request: "/nan")).failure?.code, .invalidBody)
  }
}
