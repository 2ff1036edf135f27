import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import Synchronization
import TestSupport
import Testing

@testable import Heliograph

/// Shared exchanges used from many threads.
struct CoalescingRaceTests {
  private let attempt = AttemptContext(
    nil, step: CacheStep(), middleware: [], at: .reachable,
    sharing: SharingScope(
      service: nil, isSigned: false, originTrust: .own, account: 0, environment: 0, needsEnvironment: false,
      refreshCount: 0, ignoredParameters: ["t"], cookie: nil),
    decision: nil, run: nil)

  @Test("P4") func nothingIsLostDoubledOrLeft() async throws {
    let (census, running) = (Census(), RunningCount())
    let expected = Atomic<Int>(0)
    let stayed = Atomic<Int>(0)
    let wrong = Atomic<Int>(0)
    do {
      var configuration = NetworkClient.Configuration.open(PiecewiseTransport(running: running))
      configuration.processing = .immediate
      let client = NetworkClient(configuration)
      await together(8) { thread in
        for round in 0..<500 {
          let token = census.token()
          let request = Request(.get, "http://shop.example/\(round % 3)", options: .with { $0.isCoalesced = true })
          let endCount = Once()
          let leaves = (round &* 5 &+ thread) % 3 == 0
          if !leaves { expected.add(1, ordering: .relaxed) }
          let handle = client.exchange(request: request).subscribe { event in
            withExtendedLifetime(token) {}
            if let response = event.value, String(decoding: response.value, as: UTF8.self) != "one two three" {
              wrong.add(1, ordering: .relaxed)
            }
            guard event.isTerminal else { return }
            if !endCount.claim() || event.failure != nil { wrong.add(1, ordering: .relaxed) }
            if !leaves { stayed.add(1, ordering: .relaxed) }
          }
          if leaves { handle.dispose() }
        }
      }
    }
    await until { census.alive == 0 && running.value == 0 }
    expectEqual(stayed.load(ordering: .relaxed), expected.load(ordering: .relaxed))
    expectEqual(wrong.load(ordering: .relaxed), 0)
    expectEqual(census.alive, 0)
    expectEqual(running.value, 0)
    // Some were shared.
    expect(running.started < 4_000)
  }

  @Test func manyMembersLeaveInLinearTime() throws {
    let url = try require(URL(string: "http://shop.example/a"))
    // Ten times the members take ten times as long, or in quadratic time a hundred times.
    let growth = growth(from: 2_000, to: 20_000) { count in
      let hand = HandTransport()
      let transport = CoalescingTransport(hand, SharedExchanges())
      let handles = (0..<count).map { _ in transport.signal(HTTPRequest(url: url), of: attempt).subscribe { _ in } }
      for handle in handles.reversed() { handle.dispose() }
      expectEqual([hand.requests.count, hand.cancelledCount], [1, 1])
    }
    expect(growth < 40, "\(growth)")
  }

  /// The table is empty after the end, the last disposal and a body beyond the limit.
  @Test func theTableOfExchangesDoesNotGrow() throws {
    let exchanges = SharedExchanges()
    let hand = HandTransport()
    let transport = CoalescingTransport(hand, exchanges)
    func recorder(_ path: String) throws -> SignalRecorder<TransportEvent, NetworkError> {
      let url = try require(URL(string: "http://shop.example" + path))
      return SignalRecorder(transport.signal(HTTPRequest(url: url), of: attempt))
    }
    let recorders = try ["/a", "/b?t=1", "/b?t=2", "/c"].map(recorder)
    expectEqual(exchanges.memberCounts.count, 3)
    expectEqual(hand.requests.count, 3)
    hand.answer(0, "a")
    expectEqual(exchanges.memberCounts.count, 2)
    recorders[1].dispose()
    expectEqual(exchanges.memberCounts.count, 2)
    expectEqual(hand.cancelledCount, 0)
    recorders[2].dispose()
    expectEqual(exchanges.memberCounts.count, 1)
    expectEqual(hand.cancelledCount, 1)
    hand.head(2)
    hand.exchange(2).send(.body(Data(count: 1_048_577)))
    expectEqual(exchanges.memberCounts.count, 0)
    recorders[3].dispose()
    expectEqual(hand.cancelledCount, 2)
    expectEqual(exchanges.memberCounts.count, 0)
  }
}

/// Answers in pieces: at once, or from another thread.
private struct PiecewiseTransport: Transport {
  let running: RunningCount

  func send(_ request: HTTPRequest) -> Signal<TransportEvent, NetworkError> {
    let events: [TransportEvent] = [
      .head(HTTPResponse(statusCode: 200, url: request.url)), .body(Data("one ".utf8)), .body(Data("two ".utf8)),
      .body(Data("three".utf8)),
    ]
    let answer = Signal<TransportEvent, NetworkError>.from(events)
    let isSynchronous = request.url.path == "/0"
    return running.counting(isSynchronous ? answer : answer.subscribe(on: .global))
  }
}
