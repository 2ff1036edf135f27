import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// What waits in a lane belongs to the account and environment at its start.
@MainActor struct LaneIdentityTests {
  private let account = CurrentValue<String?>("ann")
  private let store = EnvironmentStore(build: .develop, storage: .memory())
  private let kit: TestKit

  init() {
    let (account, store) = (account, store)
    kit = TestKit {
      $0.account = account
      $0.services = [Bookshop(defaultCommon: [])]
      $0.environments = store
      $0.middleware = [.bearer { account.value }]
      $0.messages = [.contextChanged: "Changed."]
    }
    kit.stub.on(.post, "/orders", .never, .json("2"))
    kit.stub.on(.get, "/orders", .json("[3]"))
    kit.stub.on(.get, "/v1/orders", .json("4"))
  }

  private func order(in lane: Lane) -> Call<Int> {
    kit.client.call(Request(.post, "/orders", parameters: ["of": account.value]), as: Int.self, in: lane)
  }

  @Test("P9", arguments: [Lane.Policy.serial, .limit(1)])
  func aWaitingCallIsNotSentForTheNextAccount(_ policy: Lane.Policy) async {
    let lane = Lane(policy)
    let calls = [order(in: lane), order(in: lane), order(in: lane)]
    let ends = calls.map { SignalRecorder($0.signal) }
    account.value = "bob"
    for end in ends { await end.waitForEnd() }
    expectEqual(calls.map { $0.error?.code }, [.contextChanged, .contextChanged, .contextChanged])
    expectEqual(calls.map { $0.error?.message }, ["Changed.", "Changed.", "Changed."])
    // The one that was sent fails by itself, with its request.
    expectEqual(calls.map { $0.request?.url.path }, ["/orders", nil, nil])
    expectEqual(kit.stub.cancelledCount, 1)
    let next = order(in: lane)
    await SignalRecorder(next.signal).waitForEnd()
    expectEqual(next.value, 2)
    expectEqual(kit.stub.requests.map { $0.headers["Authorization"] }, ["Bearer ann", "Bearer bob"])
  }

  @Test("P9") func whatWaitsForAnotherSignalFailsAtOnce() async {
    for lane in [Lane(.serial), Lane(.latestWins(debounce: .seconds(1)), scheduler: kit.clock)] {
      let other = SignalRecorder(lane.enqueue(Signal<Int, NetworkError>.never))
      account.value = "ann"
      let ended = SignalRecorder(order(in: lane).signal)
      account.value = "bob"
      await ended.waitForEnd()
      expectEqual(ended.failure?.code, .contextChanged)
      let pager = Pager(kit.client.pages(request: "/orders", of: Int.self), in: lane)
      pager.beginRefresh()
      account.value = nil
      await until { !pager.isRefreshing }
      expectEqual(pager.error?.code, .contextChanged)
      expectEqual(pager.error?.message, "Changed.")
      await kit.clock.advance(by: .seconds(1))
      other.dispose()
    }
    expect(kit.stub.requests.isEmpty)
  }

  @Test("P9") func aSwitchOfTheEnvironmentFailsOnlyCallsToServices() async throws {
    let lane = Lane(.limit(1))
    let other = SignalRecorder(lane.enqueue(Signal<Int, NetworkError>.never))
    let call = kit.client.call(Request(.get, "orders", service: "books"), as: Int.self, in: lane)
    let ended = SignalRecorder(call.signal)
    let plain = SignalRecorder(kit.client.call("/orders", as: [Int].self, in: lane).signal)
    try store.switch(to: .test)
    await ended.waitForEnd()
    expectEqual(ended.failure?.code, .contextChanged)
    other.dispose()
    await plain.waitForEnd()
    expectEqual(plain.values.map(\.value), [[3]])
    expectEqual(kit.stub.requests.count, 1)
  }

  /// A signal is subscribed to when its turn comes.
  @Test("P9") func aSignalBelongsToTheAccountAtTheEndOfItsWait() async {
    let lane = Lane(.serial)
    let other = SignalRecorder(lane.enqueue(Signal<Int, NetworkError>.never))
    let orders = SignalRecorder(lane.enqueue(kit.client.enqueue(request: "/orders", resultType: [Int].self)))
    account.value = "bob"
    other.dispose()
    await orders.waitForEnd()
    expectEqual(kit.stub.requests.map { $0.headers["Authorization"] }, ["Bearer bob"])
  }
}
