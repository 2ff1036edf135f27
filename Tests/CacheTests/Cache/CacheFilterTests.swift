import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// Requests whose method a filter changes: what was a `GET` when its policy was resolved is sent as a `POST`.
struct CacheFilterTests {
  private struct Item: Codable, Equatable {
    let id: Int
  }

  private struct Posting: RequestFilter {
    func filter(_ draft: inout RequestDraft) { draft.method = .post }
  }

  private let order = Request(.get, "/orders", options: .with { $0.filters = [Posting()] })

  private func makeKit(_ configure: (inout NetworkClient.Configuration) -> Void) -> TestKit {
    let kit = TestKit {
      $0.retry = .never
      configure(&$0)
    }
    kit.stub.on("*", "/*") { _ in .json(Item(id: kit.stub.requests.count)) }
    return kit
  }

  @Test(arguments: [.timeToLive(.seconds(60)), .cacheThenNetwork, .networkThenCache, .http, .reload] as [CachePolicy])
  func theDefaultPolicyDoesNotAnswerAnOrder(_ policy: CachePolicy) async throws {
    let kit = makeKit { $0.cachePolicy = policy }
    for id in 1...3 {
      let recorder = SignalRecorder(kit.client.enqueue(request: order, resultType: Item.self))
      await recorder.waitForEnd()
      expectEqual(recorder.values.map(\.value), [Item(id: id)], "\(recorder.events)")
    }
    expectEqual(kit.stub.requests.map(\.method), [.post, .post, .post])
    expectEqual(kit.stub.requests.map(\.cachePolicy), [.none, .none, .none])
  }

  @Test func afterAnOutageAnOrderFails() async throws {
    let kit = makeKit { $0.cachePolicy = .networkThenCache }
    kit.stub.on(.post, "/lost", .json(Item(id: 1)), .failure(NetworkError(.connectionLost)))
    let request = Request(.get, "/lost", options: .with { $0.filters = [Posting()] })
    try await expectEqual(kit.client.value(of: request, as: Item.self), Item(id: 1))
    let error = try await kit.client.failure(of: request, as: Item.self)
    expectEqual(error.code, .connectionLost)
    expectEqual(kit.stub.requests.count, 2)
  }

  /// As with `Request(.post, …, cache: …)`.
  @Test func itsOwnPolicyAppliesToAnOrder() async throws {
    let kit = makeKit { _ in }
    var order = order
    order.options.cache = .timeToLive(.seconds(60))
    for _ in 1...2 { try await expectEqual(kit.client.value(of: order, as: Item.self), Item(id: 1)) }
  }

  /// The stored responses of the account, although the `GET` needed no context for a key.
  @Test func anOrderInvalidatesStoredResponses() async throws {
    let kit = makeKit { $0.account = CurrentValue("ann") }
    let list = Request(.get, "/orders", cache: .timeToLive(.seconds(60)))
    for id in [1, 1] { try await expectEqual(kit.client.value(of: list, as: Item.self), Item(id: id)) }
    try await expectEqual(kit.client.value(of: order, as: Item.self), Item(id: 2))
    try await expectEqual(kit.client.value(of: list, as: Item.self), Item(id: 3))
  }
}
