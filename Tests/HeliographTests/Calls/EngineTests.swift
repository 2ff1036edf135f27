import Foundation
import Heliograph
import HeliographTesting
import Signals
import Testing

/// An engine as an app writes it: one method for each API, typed parameters, a call as the result.
private struct LeaveEngine: Engine {
  let client: NetworkClient
  let searching: Lane
  let submitting = Lane(.exclusive())

  typealias Then<Value> = @MainActor @Sendable (Value?, NetworkError?) -> Void

  init(_ client: NetworkClient, clock: any SignalScheduler) {
    self.client = client
    searching = Lane(.latestWins(debounce: .milliseconds(300)), clock: clock)
  }

  @discardableResult
  func search(_ text: String, for owner: AnyObject? = nil, then: @escaping Then<[Leave]>) -> Call<[Leave]> {
    start(Request(.get, "/leaves", query: ["q": text]), as: [Leave].self, for: owner, in: searching, then)
  }

  @discardableResult
  func submit(days: Int, for owner: AnyObject? = nil, then: @escaping Then<Leave>) -> Call<Leave> {
    start(Request(.post, "/leaves", body: .json(Leave(days: days))), as: Leave.self, for: owner, in: submitting, then)
  }

  /// The document as received.
  @discardableResult
  func document(_ number: Int, then: @escaping Then<Data>) -> Call<Data> {
    start(Request(.get, "/documents/\(number)"), as: Data.self, then)
  }
}

@Suite struct EngineTests {
  private final class Results: Sendable {
    private let state = Guarded<[String]>([])
    var texts: [String] { state.withLock { $0 } }

    func add(_ value: (some Sendable)?, _ error: NetworkError?) {
      let text = error.map { "\($0.code)" } ?? value.map { "\($0)" } ?? "nothing"
      state.withLock { $0.append(text) }
    }
  }

  private let kit = TestKit()
  private let results = Results()

  private var engine: LeaveEngine { LeaveEngine(kit.client, clock: kit.clock) }

  @Test("S0-28 S0-30 S0-41") func anEngineDeliversModelsAndRawData() async {
    kit.stub.on(.post, "/leaves", .json(#"{"days":3}"#))
    kit.stub.on(.get, "/documents/7", .text("as it is"))
    // The result is discarded: the call goes on.
    engine.submit(days: 3) { [results] value, error in results.add(value?.days, error) }
    engine.document(7) { [results] value, error in results.add(value.map { String(decoding: $0, as: UTF8.self) }, error)
    }
    await kit.clock.advance()
    #expect(Set(results.texts) == ["3", "as it is"] && results.texts.count == 2)
  }

  @Test("S0-29") func aCallOfAnEngineIsCancelled() async {
    kit.stub.on(.get, "/documents/7", .text("as it is").delayed(by: .seconds(1)))
    let call = engine.document(7) { [results] value, error in results.add(value, error) }
    #expect(call.id != nil && call.isExecuting)
    call.cancel()
    await kit.clock.advance(by: .seconds(2))
    #expect(results.texts.isEmpty && kit.stub.cancelledCount == 1)
  }

  /// Typed quickly: one request.
  ///
  /// Typed slowly: the earlier one is cancelled.
  @Test("S0-31 P3") func ofThreeSearchesTheLastAloneCallsBack() async {
    kit.stub.on(.get, "/leaves", .json("[]").delayed(by: .seconds(5)), .json(#"[{"days":2}]"#).delayed(by: .seconds(1)))
    let engine = engine
    var call: Call<[Leave]>?
    for text in ["h", "ho", "hol"] {
      call?.cancel()
      call = engine.search(text) { [results] value, error in results.add(value?.count, error) }
    }
    await kit.clock.advance(by: .milliseconds(300))
    #expect(kit.stub.requests.map { $0.url.query ?? "" } == ["q=hol"])
    let earlier = call
    call = engine.search("holi") { [results] value, error in results.add(value?.count, error) }
    #expect(kit.stub.activeCount == 0)
    await kit.clock.advance()
    #expect(earlier?.isCancelled == true)
    await kit.clock.advance(by: .seconds(9))
    #expect(results.texts == ["1"] && kit.stub.requests.count == 2 && kit.client.calls.count == 0)
    // A finished one.
    call?.cancel()
    #expect(call?.isCancelled == false)
  }

  @Test("P3") func aDoubleSubmissionIsSentOnce() async {
    kit.stub.on(.post, "/leaves", .json(#"{"days":3}"#).delayed(by: .seconds(1)))
    let engine = engine
    let calls = (0..<2).map { _ in engine.submit(days: 3) { [results] value, error in results.add(value?.days, error) }
    }
    await kit.clock.advance(by: .seconds(2))
    #expect(kit.stub.requests.count == 1 && results.texts == ["3"])
    #expect(calls.map(\.isCancelled) == [false, true])
  }

  @Test("S0-32 S0-33") func requestsOfAnEngineEndWithTheirOwner() async throws {
    final class Screen {}
    let shop = try Shop()
    shop.server.route("POST", "/leaves") { _ in .never }
    shop.server.route("GET", "/documents/*") { _ in .text("done") }
    var screen: Screen? = Screen()
    weak var owner: Screen?
    owner = screen
    let engine = LeaveEngine(shop.client, clock: .global)
    engine.submit(days: 1, for: screen) { _, _ in Issue.record("called back") }
    #expect(await shop.server.wait { $0.requests.count == 1 })
    screen = nil
    #expect(owner == nil)
    #expect(await shop.server.wait { $0.openConnectionCount == 0 })
    // The connection is closed just before the call ends, on another thread.
    let end = ContinuousClock.now + .seconds(10)
    while shop.client.calls.count > 0, ContinuousClock.now < end { await Task.yield() }
    #expect(shop.client.calls.count == 0)
    #expect(shop.server.log.connections.allSatisfy { $0.closedBy == .client })
  }
}
