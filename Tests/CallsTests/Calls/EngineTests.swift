import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// An engine as an app writes it: a private client, one method for each API, typed parameters, a cold call as the result.
private final class LeaveEngine: Sendable {
  private let client: NetworkClient
  private let searching: Lane
  private let submitting = Lane(.exclusive())

  init(_ client: NetworkClient, clock: any SignalScheduler) {
    self.client = client
    searching = Lane(.latestWins(debounce: .milliseconds(300)), scheduler: clock)
  }

  func search(_ text: String) -> Call<[Leave]> {
    client.call(Request(.get, "/leaves", query: ["q": text]), as: [Leave].self, in: searching)
  }

  func submit(days: Int) -> Call<Leave> {
    client.call(Request(.post, "/leaves", body: .json(Leave(days: days))), as: Leave.self, in: submitting)
  }

  /// The document as received.
  func document(_ number: Int) -> Call<Data> {
    client.call(Request(.get, "/documents/\(number)").returning(Data.self))
  }
}

struct EngineTests {
  @MainActor private final class Screen {
    var texts: [String] = []

    nonisolated init() {}

    func add(_ value: (some Sendable)?, _ error: NetworkError?) {
      texts.append(error.map { "\($0.code)" } ?? value.map { "\($0)" } ?? "nothing")
    }
  }

  private let kit = TestKit()
  private let screen = Screen()

  private var engine: LeaveEngine { LeaveEngine(kit.client, clock: kit.clock) }

  @Test("S0-28 S0-30 S0-41 S0-27") @MainActor func anEngineDeliversModelsAndRawData() async {
    kit.stub.on(.post, "/leaves", .json(#"{"days":3}"#))
    kit.stub.on(.get, "/documents/7", .text("as it is"))
    // The calls are not stored: they go on.
    engine.submit(days: 3).start(for: screen) { screen, call in screen.add(call.value?.days, call.error) }
    engine.document(7).start(for: screen) { screen, call in screen.add(call.text, call.error) }
    await kit.clock.advance()
    expectEqual(Set(screen.texts), ["3", "as it is"])
    expectEqual(screen.texts.count, 2)
  }

  @Test("S0-29") @MainActor func aCallOfAnEngineIsCancelled() async {
    kit.stub.on(.get, "/documents/7", .text("as it is").delayed(by: .seconds(1)))
    let call = engine.document(7)
    expect(kit.stub.requests.isEmpty, "it is cold")
    call.start(for: screen) { screen, call in
      screen.add(call.value, nil)
    } onFailure: { screen, call in
      screen.add(call.value, call.error)
    }
    expect(call.id != nil)
    expect(call.isExecuting)
    call.cancel()
    await kit.clock.advance(by: .seconds(2))
    expect(screen.texts.isEmpty)
    expectEqual(kit.stub.cancelledCount, 1)
  }

  /// Typed quickly: one request.
  ///
  /// Typed slowly: the earlier one is cancelled.
  @Test("S0-31 P3") @MainActor func ofThreeSearchesTheLastAloneCallsBack() async {
    kit.stub.on(.get, "/leaves", .json("[]").delayed(by: .seconds(5)), .json(#"[{"days":2}]"#).delayed(by: .seconds(1)))
    let engine = engine
    var call: Call<[Leave]>?
    func search(_ text: String) {
      call = engine.search(text)
      call?.start(for: screen) { screen, call in screen.add(call.value?.count, call.error) }
    }
    for text in ["h", "ho", "hol"] {
      call?.cancel()
      search(text)
    }
    await kit.clock.advance(by: .milliseconds(300))
    expectEqual(kit.stub.requests.map { $0.url.query ?? "" }, ["q=hol"])
    let earlier = call
    search("holi")
    expectEqual(kit.stub.activeCount, 0)
    await kit.clock.advance()
    expectEqual(earlier?.isCancelled, true)
    await kit.clock.advance(by: .seconds(9))
    expectEqual(screen.texts, ["1"])
    expectEqual(kit.stub.requests.count, 2)
    expect(kit.client.callIDs.isEmpty)
    // A finished one.
    call?.cancel()
    expectEqual(call?.isCancelled, false)
  }

  @Test("P3") @MainActor func aDoubleSubmissionIsSentOnce() async {
    kit.stub.on(.post, "/leaves", .json(#"{"days":3}"#).delayed(by: .seconds(1)))
    let engine = engine
    let calls = (0..<2).map { _ in engine.submit(days: 3) }
    for call in calls { call.start(for: screen) { screen, call in screen.add(call.value?.days, call.error) } }
    await kit.clock.advance(by: .seconds(2))
    expectEqual(kit.stub.requests.count, 1)
    expectEqual(screen.texts, ["3"])
    expectEqual(calls.map(\.isCancelled), [false, true])
  }

  @Test("S1-22") @MainActor func callsOfAnEngineAreABatchAndStepsOfAChain() async {
    kit.stub.on(.get, "/documents/1", .text("one"))
    kit.stub.on(.get, "/documents/2", .text("two"))
    kit.stub.on(.post, "/leaves", .json(#"{"days":3}"#))
    let engine = engine
    Batch([1, 2].map { engine.document($0) }).start(for: screen) { screen, batch in
      screen.add(batch.values.compactMap(\.text), batch.error)
    }
    await kit.clock.advance()
    expectEqual(screen.texts, [#"["one", "two"]"#])
    let chain = Chain()
    let leave = chain.add(call: { _ in engine.submit(days: 3) })
    let document = chain.add(after: leave, call: { chain in chain[leave].map { engine.document($0.value.days - 1) } })
    chain.start(for: screen) { screen, chain in
      screen.add(chain[document].map { String(decoding: $0.value, as: UTF8.self) }, chain.error)
    }
    await kit.clock.advance()
    expectEqual(screen.texts.last, "two")
  }

  @Test("S0-32 S0-33 S0-34") func requestsOfAnEngineEndWithTheirOwner() async throws {
    let shop = try Shop()
    shop.server.route("POST", "/leaves") { _ in .never }
    var screen: Screen? = Screen()
    weak var owner: Screen?
    owner = screen
    var engine: LeaveEngine? = LeaveEngine(shop.client, clock: .global)
    weak var releasedEngine: LeaveEngine?
    releasedEngine = engine
    if let screen {
      engine?.submit(days: 1).start(for: screen) { _, _ in
        Issue.record("called back")
      } onFailure: { _, _ in
        Issue.record("called back")
      }
    }
    await expect(shop.server.wait { $0.requests.count == 1 })
    // The request goes on without its engine.
    engine = nil
    expectNil(releasedEngine)
    expectEqual(shop.client.callIDs.count, 1)
    screen = nil
    await expect(shop.server.wait { $0.openConnectionCount == 0 })
    // Not before: the sweep that looks for deallocated owners may hold it for a moment.
    expectNil(owner)
    // The connection is closed just before the call ends, on another thread.
    await until { shop.client.callIDs.isEmpty }
    expect(shop.client.callIDs.isEmpty)
    expect(shop.server.log.connections.allSatisfy { $0.isClosedByClient == true })
  }
}
