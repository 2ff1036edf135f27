import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import Synchronization
import TestSupport
import Testing

/// The calls in flight of a client, and cancelling them by identifier.
struct CallRecordTests {
  private let kit = TestKit()

  private func stuck(_ count: Int) -> [Call<Leave>] {
    kit.stub.on(.get, "/stuck", .never)
    return (0..<count).map { _ in
      let call = kit.client.call("/stuck", as: Leave.self)
      call.start()
      return call
    }
  }

  @Test("S0-26 S1-28 S1-27") func callsAreCancelledByIdByListAndAll() async throws {
    let calls = stuck(5)
    let ids = calls.compactMap(\.id)
    expectEqual(kit.client.callIDs, ids)
    expectEqual(kit.client.callIDs.count, 5)
    kit.client.cancelCalls([ids[0]])
    expectEqual(calls.map(\.isExecuting), [false, true, true, true, true])
    // The first was cancelled, and no call of this client has the last one.
    let unknown = try require(NetworkClient().call("/x", as: Leave.self).started.id)
    kit.client.cancelCalls([ids[0], ids[1], ids[2], ids[3], unknown])
    expectEqual(calls.map(\.isExecuting), [false, false, false, false, true])
    kit.client.cancelAllCalls()
    expect(kit.client.callIDs.isEmpty)
    expectEqual(kit.stub.cancelledCount, 5)
    expect(calls.allSatisfy { $0.isCancelled })
    kit.client.cancelCalls([ids[0]])
    kit.client.cancelAllCalls()
  }

  @Test("S0-26") func theIdentifierOfAFinishedRunCancelsNothing() async throws {
    kit.stub.on(.get, "/x", .json(#"{"days":1}"#), .never)
    let call = kit.client.call("/x", as: Leave.self)
    await call.run(MomentLog())
    let id = try require(call.id)
    kit.client.cancelCalls([id])
    expect(!call.isCancelled)
    call.start()
    kit.client.cancelCalls([id])
    expect(call.isExecuting)
    expect(call.id != id)
    call.cancel()
  }

  @Test("S0-26") func identifiersAreUniqueAcrossClientsAndRuns() {
    let other = TestKit()
    let stubs = [kit, other]
    var ids: [RequestID] = []
    for kit in stubs {
      let call = kit.client.call("/x", as: Leave.self)
      for _ in 0..<3 {
        call.start()
        ids += call.id.map { [$0] } ?? []
        call.cancel()
      }
    }
    expectEqual(Set(ids).count, 6)
  }

  @Test("S2-11 S1-27 T16") func theRecordIsEmptyAfterEveryEnd() async {
    kit.stub.on(.get, "/stuck", .json(#"{"days":1}"#), .status(500), .failure(NetworkError(.connectionLost)))
    let call = kit.client.call("/stuck", as: Leave.self)
    for _ in 0..<3 {
      await call.run(MomentLog())
      expectEqual(kit.client.callIDs.count, 0)
    }
  }

  @Test func anAccessoryMayCancelWhatIsAboutToStart() async {
    struct Refuser: Accessory {
      let cancel: @Sendable () -> Void
      func willStart(_ work: any Startable) { cancel() }
    }
    let log = MomentLog()
    let call = kit.client.call("/stuck", as: Leave.self)
    call.accessories = [Refuser { [weak call] in call?.cancel() }, log]
    call.start()
    expect(kit.stub.requests.isEmpty)
    expect(call.isCancelled)
    expectEqual(kit.client.callIDs.count, 0)
    expectEqual(log.texts, ["willStart", "willStop", "didStop"])
  }

  /// Such a call is in flight until it is cancelled, as a signal that never ends.
  @Test func aCallWhoseTransportDropsItsObserverIsReleasedWhenItIsCancelled() async {
    struct Forgetful: Transport {
      func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> { Signal { _ in nil } }
    }
    let client = NetworkClient(.init(baseURL: URL(string: "http://127.0.0.1"), transport: Forgetful()))
    weak var released: Call<Leave>?
    do {
      let call = client.call("/x", as: Leave.self)
      released = call
      call.start()
    }
    expectEqual(client.callIDs.count, 1)
    client.cancelAllCalls()
    for _ in 0..<1_000 where released != nil { await MainActor.run {} }
    expectNil(released)
    expectEqual(client.callIDs.count, 0)
  }

  /// From eight threads, each call may meet its answer, its cancellation, and that of all.
  @Test("S1-27", arguments: 1...min(20, 2 * Scale.factor)) func callsStartedAndCancelledAtRandomEndOnce(_ round: Int)
    async
  {
    let stub = StubTransport(scheduler: .global)
    stub.on(.get, "/now", .json(#"{"days":1}"#))
    stub.on(.get, "/later", .json(#"{"days":1}"#).delayed(by: .milliseconds(2)))
    stub.on(.get, "/never", .never)
    let client = NetworkClient(.init(baseURL: URL(string: "http://127.0.0.1"), transport: stub))
    let counter = EndCounter()
    await together(8) { index in
      var random = SystemRandomNumberGenerator()
      var mine: [Call<Leave>] = []
      for number in 0..<63 where index * 63 + number < 500 {
        let path: RequestPath = ["/now", "/later", "/never"].randomElement(using: &random) ?? "/now"
        let call = client.call(Request(.get, path), as: Leave.self)
        call.accessories = [counter]
        call.start(onSuccess: { counter.deliver($0) }, onFailure: { counter.deliver($0) })
        mine.append(call)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: mine.randomElement(using: &random)?.cancel()
        case 1: if let id = mine.randomElement(using: &random)?.id { client.cancelCalls([id]) }
        case 2 where number % 20 == 0: client.cancelAllCalls()
        default: break
        }
      }
      for call in mine where Bool.random(using: &random) { call.cancel() }
    }
    client.cancelAllCalls()
    await counter.settle(500)
    expectEqual(counter.startCount, 500)
    expectEqual(counter.stopCount, 500)
    expectEqual(counter.endCount, 500)
    expectEqual(client.callIDs.count, 0)
    // A call that is cancelled while it starts ends before its exchange does.
    await until { stub.activeCount == 0 }
    expectEqual(counter.violations, 0)
  }
}

extension Startable {
  /// The work, started.
  fileprivate nonisolated var started: Self {
    start()
    return self
  }
}

/// Counts the ends of calls.
private final class EndCounter: Accessory {
  private let starts = Atomic(0)
  private let stops = Atomic(0)
  private let ends = Atomic(0)
  private let runs = Guarded<[RequestID: Counts]>([:])

  private struct Counts {
    var stops = 0
    var deliveries = 0
    var isCancelled = false
  }

  var startCount: Int { starts.load(ordering: .acquiring) }
  var stopCount: Int { stops.load(ordering: .acquiring) }
  var endCount: Int { ends.load(ordering: .acquiring) }
  /// The runs that have not ended exactly once, or whose end was not delivered once: not at all after a cancellation.
  var violations: Int {
    runs.withLock { $0.values.count { $0.stops != 1 || $0.deliveries != ($0.isCancelled ? 0 : 1) } }
  }

  func deliver(_ work: any Startable) {
    if let id = work.id { runs.withLock { $0[id, default: Counts()].deliveries += 1 } }
  }
  func willStart(_ work: any Startable) { starts.add(1, ordering: .acquiringAndReleasing) }
  func willStop(_ work: any Startable) {
    stops.add(1, ordering: .acquiringAndReleasing)
    let isCancelled = work.isCancelled
    guard let id = work.id else { return }
    runs.withLock {
      $0[id, default: Counts()].stops += 1
      $0[id, default: Counts()].isCancelled = isCancelled
    }
  }
  func didStop(_ work: any Startable) { ends.add(1, ordering: .acquiringAndReleasing) }

  /// Waits until as many calls have ended.
  func settle(_ count: Int) async { await until { self.endCount >= count } }
}
