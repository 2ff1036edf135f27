import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// A token that is fetched by `GET`: no cache policy of the client or a service applies to it.
struct RefreshCachePolicyTests {
  private let clock = VirtualScheduler()
  private let stub: StubTransport
  private let token = CurrentValue<String>("T0")
  private let rejections = Log<NetworkError.Code>()

  init() {
    stub = StubTransport(scheduler: clock)
  }

  private func client(_ policy: CachePolicy, of request: Request = Request(.get, "/token")) -> NetworkClient {
    NetworkClient(baseURL: URL(string: "https://shop.example")) { [token, rejections] in
      $0.transport = stub
      $0.scheduler = clock
      $0.processing = .immediate
      $0.account = CurrentValue<String?>("ann")
      $0.cachePolicy = policy
      $0.middleware = [.bearer { token.value }]
      $0.onUnauthorized = { rejections.add($0.code) }
      $0.recoveries = [
        Recovery(scheduler: clock) { client in
          client.enqueue(request: request, resultType: String.self).on(value: { token.value = $0.value })
        }
      ]
    }
  }

  private func code(_ client: NetworkClient) -> NetworkError.Code? {
    SignalRecorder(client.enqueue(request: Request(.post, "/a"), resultType: Int.self)).failure?.code
  }

  private var refreshCount: Int { stub.requests.count { $0.url.path == "/token" } }

  /// Otherwise the stored token would count as a fresh one, and its rejection would sign out.
  @Test(arguments: [CachePolicy.networkThenCache, .timeToLive(.seconds(3_600)), .cacheThenNetwork, .onlyIfCached])
  func aFailedRefreshIsNotReplacedByAStoredToken(_ policy: CachePolicy) {
    stub.on(.get, "/token", .json(#""T1""#), .status(503))
    stub.on(.post, "/a", .status(401), .json("1"), .status(401))
    let client = client(policy)
    expectNil(code(client))
    clock.advance(by: .seconds(600))
    expectEqual(code(client), .status(503))
    expectEqual(token.value, "T1")
    expectEqual(refreshCount, 2)
    expectEqual(rejections.entries, [])
  }

  @Test func aPolicyOfTheRequestItselfApplies() {
    stub.on(.get, "/token", .json(#""T1""#))
    stub.on(.post, "/a", .status(401), .json("1"), .status(401), .json("1"))
    let client = client(.none, of: Request(.get, "/token", cache: .timeToLive(.seconds(3_600))))
    expectNil(code(client))
    clock.advance(by: .seconds(600))
    expectNil(code(client))
    expectEqual(refreshCount, 1)
  }
}
