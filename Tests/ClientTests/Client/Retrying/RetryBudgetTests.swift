import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

struct RetryBudgetTests {
  private let clock = VirtualScheduler()
  private let stub: StubTransport

  init() { stub = StubTransport(scheduler: clock) }

  private func client(
    _ budget: RetryBudget, _ configure: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) -> NetworkClient {
    NetworkClient(baseURL: URL(string: "https://shop.example")) {
      $0.transport = stub
      $0.scheduler = clock
      $0.processing = .immediate
      $0.retryBudget = budget
      $0.retry = Retry(limit: 1, backoff: .none)
      configure(&$0)
    }
  }

  private func recorder(
    _ client: NetworkClient, _ request: Request = Request(.get, "/a")
  ) -> SignalRecorder<Response<Int>, NetworkError> {
    SignalRecorder(client.enqueue(request: request, resultType: Int.self))
  }

  /// A budget to which each share adds a whole retry.
  private func wholeShares() -> RetryBudget {
    RetryBudget(share: 1, reserveCount: 0, reservePerSecond: 0, scheduler: clock)
  }

  private func withdrawals(_ budget: RetryBudget) -> Int {
    var count = 0
    while count < 100_000, budget.withdraw() { count += 1 }
    return count
  }

  @Test func firstTriesPayForRetries() {
    let budget = RetryBudget(reserveCount: 0, scheduler: clock)
    expect(!budget.withdraw())
    for _ in 0..<4 { budget.deposit() }
    expect(!budget.withdraw())
    budget.deposit()
    expectEqual(budget.availableCount, 1)
    expect(budget.withdraw())
    expect(!budget.withdraw())
  }

  /// The shares of many quick requests add up to those of a slow one.
  @Test func theReserveComesBackInStepsOfAnySize() {
    let budget = RetryBudget(share: 0.999_999, reserveCount: 1, reservePerSecond: 1, scheduler: clock)
    expect(budget.withdraw())
    budget.deposit()
    for _ in 0..<10 {
      clock.advance(by: .nanoseconds(400))
      _ = budget.availableCount
    }
    expectEqual(budget.availableCount, 1)
  }

  @Test func theReserveComesBackWithTimeAndNoFarther() {
    let budget = RetryBudget(reserveCount: 3, reservePerSecond: 0.5, scheduler: clock)
    expectEqual(withdrawals(budget), 3)
    clock.advance(by: .seconds(1))
    expectEqual(withdrawals(budget), 0)
    clock.advance(by: .seconds(1))
    expectEqual(withdrawals(budget), 1)
    clock.advance(by: .seconds(1_000_000))
    expectEqual(budget.availableCount, 3)
  }

  /// The numbers that an `Int` of 32 bits has no room for: a watch opened in the morning and again at noon.
  @Test func aLongTimeAndALargeBalanceAreNoMatter() {
    let budget = RetryBudget(reserveCount: 1_000_000, savedCount: 1_000_000, scheduler: clock)
    expectEqual(budget.availableCount, 1_000_000)
    expect(budget.withdraw())
    clock.advance(by: .seconds(4 * 3600))
    budget.deposit()
    expectEqual(budget.availableCount, 1_000_000)
  }

  @Test func lookingOftenDoesNotStopTime() {
    let budget = RetryBudget(reserveCount: 1, reservePerSecond: 0.001, scheduler: clock)
    expect(budget.withdraw())
    for _ in 0..<10_001 {
      clock.advance(by: .milliseconds(100))
      _ = budget.availableCount
    }
    expect(budget.withdraw())
  }

  @Test func noMoreIsSavedThanTheLimit() {
    let budget = RetryBudget(scheduler: clock)
    for _ in 0..<10_000 { budget.deposit() }
    expectEqual(withdrawals(budget), 100)
  }

  @Test func savingsDoNotMeltInTime() {
    let budget = RetryBudget(scheduler: clock)
    for _ in 0..<450 { budget.deposit() }
    clock.advance(by: .seconds(60))
    expectEqual(withdrawals(budget), 100)
  }

  @Test func oddNumbersDoNoHarm() {
    let none = RetryBudget(
      share: .nan, reserveCount: -1, reservePerSecond: -.infinity, savedCount: -9, scheduler: clock)
    none.deposit()
    clock.advance(by: .seconds(1000))
    expectEqual(withdrawals(none), 0)
    let all = RetryBudget(
      share: 9, reserveCount: .max, reservePerSecond: .infinity, savedCount: .max, scheduler: clock)
    all.deposit()
    expectEqual(all.share, 1)
    expectEqual(withdrawals(all), 100_000)
    clock.advance(by: .seconds(Int64.max / 4))
    expectEqual(all.availableCount, 1_000_000)
  }

  @Test func aThousandFailingRequestsRetryNoMoreThanAFifthAndTheReserve() {
    stub.on(.get, "/a", .status(503))
    let client = client(RetryBudget(scheduler: clock)) { $0.retry = Retry(limit: 5) }
    let recorders = (0..<1000).map { _ in recorder(client) }
    clock.run()
    expect(recorders.allSatisfy { $0.failure?.statusCode == 503 && $0.violations.isEmpty })
    // A second or two passes with the delays, and brings back a few.
    expect(stub.requests.count - 1000 <= 10 + 200 + 30)
    expect(stub.requests.count - 1000 >= 100)
  }

  @Test func aStoredResponseAndARefusedRequestAddNothing() {
    stub.on(.get, "/a", .json("1"))
    let (budget, network) = (wholeShares(), ManualReachability(.reachable))
    let client = client(budget) { $0.reachability = network }
    for count in [1, 1, 2] {
      let policy = CachePolicy.timeToLive(count == 2 ? .zero : .seconds(60))
      expectEqual(recorder(client, Request(.get, "/a", cache: policy)).values.map(\.value), [1])
      expectEqual(budget.availableCount, count)
    }
    network.set(.unreachable)
    expectEqual(recorder(client).failure?.code, .unreachable)
    expectEqual(budget.availableCount, 2)
  }

  @Test func aReplayAndALaterElementAddNothing() {
    stub.on(.get, "/a", .status(401), .json("[1, 2]"))
    let budget = wholeShares()
    let client = client(budget) { $0.recoveries = [Recovery { Signal<Void, NetworkError>.empty }] }
    expectEqual(recorder(client).values.map(\.value), [1, 2])
    expectEqual(stub.requests.count, 2)
    expectEqual(budget.availableCount, 1)
  }

  @Test(arguments: [false, true]) func anExchangeThatIsSharedAddsOneShare(_ isFailing: Bool) {
    let lost = StubAnswer.failure(NetworkError(.connectionLost))
    stub.on(.get, "/a", (isFailing ? lost : .json("1")).delayed(by: .seconds(1)))
    let budget = wholeShares()
    let client = client(budget) { $0.retry = Retry(limit: 1) { _, _ in .doNotRetry } }
    let recorders = (0..<3).map { _ in
      recorder(client, Request(.get, "/a", options: .with { $0.isCoalesced = true }))
    }
    clock.advance(by: .seconds(1))
    expect(recorders.allSatisfy { isFailing ? $0.failure?.code == .connectionLost : $0.isCompleted })
    expectEqual(stub.requests.count, 1)
    expectEqual(budget.availableCount, 1)
  }

  @Test func onlyRequestsThatMayBeRetriedAddAShare() {
    stub.on(.get, "/a", .json("1"))
    let budget = wholeShares()
    let client = client(budget) {
      $0.retry = .never
      $0.recoveries = [Recovery { Signal<Void, NetworkError>.empty }]
    }
    expect(recorder(client).isCompleted)
    expectEqual(budget.availableCount, 0)
  }

  @Test func threadsTakeOutWhatThereIsAndNoMore() async {
    let budget = RetryBudget(reserveCount: 1000, scheduler: clock)
    let taken = Guarded(0)
    await together(4) { _ in
      for _ in 0..<1000 where budget.withdraw() { taken.withLock { $0 += 1 } }
    }
    expectEqual(taken.withLock { $0 }, 1000)
  }

  /// The answers to coalesced requests: a failure, then a value.
  private static let answers = [
    StubAnswer.status(503), .failure(NetworkError(.connectionLost)), .status(503, headers: ["Retry-After": "1"]),
  ]

  @Test(arguments: 0..<3, [1, 0]) func requestsThatShareAnExchangeAlsoShareItsRetry(_ index: Int, _ reserve: Int) {
    let budget = RetryBudget(share: 0, reserveCount: reserve, reservePerSecond: 0, scheduler: clock)
    stub.on(.get, "/a", Self.answers[index].delayed(by: .seconds(1)), .json("1").delayed(by: .seconds(1)))
    // The default backoff has jitter.
    let client = client(budget) { $0.retry = Retry(limit: 1) }
    let request = Request(.get, "/a", options: .with { $0.isCoalesced = true })
    let recorders = (0..<20).map { _ in recorder(client, request) }
    clock.run()
    expectEqual(stub.requests.count, 1 + reserve)
    expectEqual(recorders.map(\.values.count), Array(repeating: reserve, count: 20))
    expectEqual(budget.availableCount, 0)
  }

  @Test(arguments: [0, 1, 2]) func retriesAfterEachDelayTakeAToken(_ reserve: Int) {
    let budget = RetryBudget(share: 0, reserveCount: reserve, reservePerSecond: 0, scheduler: clock)
    stub.on(.get, "/a", StubAnswer.status(503).delayed(by: .milliseconds(100)))
    let client = client(budget)
    let recorders = [1, 2, 1, 2].map { seconds in
      recorder(
        client,
        Request(
          .get, "/a",
          options: .with {
            $0.isCoalesced = true
            $0.retry = Retry(limit: 1, backoff: .constant(.seconds(seconds)))
          }))
    }
    clock.run()
    expectEqual(stub.requests.count, 1 + reserve)
    expect(recorders.allSatisfy { $0.failure?.code == .status(503) })
    expectEqual(budget.availableCount, 0)
  }
}
