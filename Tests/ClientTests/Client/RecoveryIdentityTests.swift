import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A refresh belongs to one identity, has a time limit and never waits for itself.
struct RecoveryIdentityTests {
  let clock = VirtualScheduler()
  let stub: StubTransport
  let account = CurrentValue<String?>("ann")
  let token = CurrentValue("old")

  init() {
    stub = StubTransport(scheduler: clock)
    stub.on("GET", "/items", .status(401))
    stub.on("POST", "/token", .json(#"{"token":"new"}"#).delayed(by: .seconds(5)))
  }

  struct Token: Decodable, Sendable { let token: String }

  private func client(
    _ recovery: Recovery, _ adjust: (inout NetworkClient.Configuration) -> Void = { _ in }
  ) -> NetworkClient {
    var configuration = NetworkClient.Configuration(
      baseURL: URL(string: "https://shop.example"), services: [], transport: stub)
    configuration.account = account
    configuration.scheduler = clock
    configuration.processing = .immediate
    configuration.recoveries = [recovery]
    adjust(&configuration)
    return NetworkClient(configuration)
  }

  /// A refresh over the client that it gets; whatever thread it comes to.
  private func recovery(
    totalTimeout: Duration = .seconds(30), on scheduler: (any SignalScheduler)? = nil
  ) -> Recovery {
    let (clock, token) = (clock, token)
    return Recovery(totalTimeout: totalTimeout, scheduler: clock) { client in
      let refresh = client.enqueue(request: Request(.post, "/token"), resultType: Token.self)
        .on(value: { token.value = $0.value.token })
      return scheduler.map { refresh.subscribe(on: $0) } ?? refresh
    }
  }

  private func items(_ client: NetworkClient) -> SignalRecorder<Response<Int>, NetworkError> {
    SignalRecorder(client.enqueue(request: "/items", resultType: Int.self))
  }

  private var refreshCount: Int { stub.requests.count { $0.url.path == "/token" } }

  /// The client has not been told yet, and the app's closure would read the token of the other account.
  @Test("P9") func noRefreshBeginsForAnAccountThatHasBeenLeft() {
    let transport = HandTransport()
    let watch = account.signal.subscribe(onValue: { account in
      if account != "ben" { return }
      transport.head(0, 401)
      transport.exchange(0).complete()
    })
    let refreshes = Log<String>()
    let recovery = Recovery(scheduler: clock) {
      refreshes.add("refresh")
      return Signal<Void, NetworkError>.empty
    }
    let client = client(recovery) { $0.transport = transport }
    let recorder = SignalRecorder(client.enqueue(request: "/a", resultType: Int.self))
    account.value = "ben"
    expectEqual(recorder.failure?.code, .contextChanged)
    expectEqual(refreshes.entries, [])
    watch.dispose()
  }

  @Test func theRefusalOfAnotherOriginBeginsNoRefresh() {
    let client = client(recovery())
    let other = SignalRecorder(client.enqueue(request: "https://cdn.example/items", resultType: Int.self))
    expectEqual(other.failure?.code, .status(401))
    expectEqual(refreshCount, 0)
  }

  @Test("P5 P9") func noAccountWaitsForTheRefreshOfAnother() {
    let client = client(recovery())
    let ann = [items(client), items(client)]
    expectEqual(refreshCount, 1)
    expectEqual(stub.activeCount, 1)
    account.value = "ben"
    expect(ann.allSatisfy { $0.failure?.code == .contextChanged && $0.events.count == 1 })
    // The refresh has ended with the account, and does nothing late.
    expectEqual(stub.activeCount, 0)
    let ben = items(client)
    expectEqual(refreshCount, 2)
    expect(ben.events.isEmpty)
    clock.advance(by: .seconds(4))
    expectEqual(token.value, "old")
    stub.on("GET", "/items", .json("7"))
    clock.run()
    expectEqual(token.value, "new")
    expectEqual(ben.values.map(\.value), [7])
    expectEqual(stub.requests.count, 6)
    expect(stub.unexpectedRequests.isEmpty)
  }

  /// A refresh over the client fails with its request, another one because of the fence.
  @Test("P9", arguments: [false, true]) func aRefreshThatNobodyWaitsForEndsWithTheAccount(_ usesClient: Bool) {
    let disposals = Log<String>()
    let failures = Log<NetworkError.Code>()
    let foreign = Recovery(scheduler: clock) {
      Signal<Void, NetworkError>.never.on(dispose: { disposals.add("disposed") })
    } onFailure: {
      failures.add($0.code)
    }
    let client = client(usesClient ? recovery() : foreign)
    let ann = items(client)
    ann.dispose()
    expectEqual(stub.activeCount, usesClient ? 1 : 0)
    expectEqual(disposals.count, 0)
    account.value = "ben"
    expectEqual(stub.activeCount, 0)
    expectEqual(disposals.count, usesClient ? 0 : 1)
    expectEqual(clock.pendingCount, 0)
    expectEqual(token.value, "old")
    expectEqual(failures.entries, [])
  }

  /// What ann's refresh has come to says nothing about ben's token.
  @Test("P5 P9") func noAccountGetsTheOutcomeOfAnother() {
    let recovery = recovery()
    let client = client(recovery)
    let other = CurrentValue<String?>("ben")
    let second = self.client(recovery) { $0.account = other }
    stub.on("GET", "/items", .status(401).delayed(by: .seconds(20)), .status(401), .json("1"), .status(401), .json("2"))
    // Ben's begins before ann's refresh ends, and fails after it.
    let ben = items(second)
    let ann = items(client)
    clock.advance(by: .seconds(10))
    expectEqual(ann.values.map(\.value), [1])
    expectEqual(refreshCount, 1)
    stub.on("GET", "/items", .json("2"))
    clock.run()
    expectEqual(refreshCount, 2)
    expectEqual(ben.values.map(\.value), [2])
  }

  @Test("P5 P9") func aRefreshEndsWithTheEnvironmentForAllThatWait() throws {
    let store = EnvironmentStore(build: .develop, storage: .memory())
    stub.on("GET", "/v1/items", .status(401))
    let client = client(recovery()) { configuration in
      configuration.services = ServiceRegistry([Bookshop(defaultCommon: [])])
      configuration.environments = store
    }
    let books = SignalRecorder(
      client.enqueue(request: Request(.get, "items", service: "books"), resultType: Int.self))
    let plain = items(client)
    expectEqual(refreshCount, 1)
    try store.switch(to: .test)
    expectEqual(books.failure?.code, .contextChanged)
    expectEqual(plain.failure?.code, .contextChanged)
    expectEqual(stub.activeCount, 0)
    clock.run()
    expectEqual(token.value, "old")
    expectEqual(refreshCount, 1)
  }

  @Test("P5") func aRefreshThatTakesTooLongFails() {
    stub.on("POST", "/token", .never)
    let client = client(recovery(totalTimeout: .seconds(3)))
    let all = [items(client), items(client)]
    clock.advance(by: .seconds(2))
    expect(all.allSatisfy { $0.events.isEmpty })
    expectEqual(stub.activeCount, 1)
    clock.advance(by: .seconds(1))
    expect(all.allSatisfy { $0.failure?.code == .recoveryTimedOut })
    expect(all.allSatisfy { $0.failure?.reason.contains("its timeout of 3.0 seconds") == true })
    expectEqual(stub.activeCount, 0)
    expectEqual(clock.pendingCount, 0)
  }

  /// The refresh comes to its client on another thread, and is refused as the rest is.
  @Test("P5", arguments: [false, true]) func aRefreshDoesNotWaitForItself(_ changesThread: Bool) {
    stub.on("POST", "/token", .status(401).delayed(by: .seconds(1)))
    let client = client(recovery(on: changesThread ? clock : nil))
    let all = [items(client), items(client)]
    clock.run()
    expect(all.allSatisfy { $0.failure?.statusCode == 401 && $0.failure?.request?.method == .post })
    expectEqual(refreshCount, 1)
    expectEqual(clock.pendingCount, 0)
  }

  @Test("P5") func aRefreshInATaskDoesNotWaitForItself() async {
    stub.on("POST", "/token", .status(401))
    let made = Guarded<NetworkClient?>(nil)
    // Over the app's own client, which has the recovery: the task is known by whom it was started.
    let recovery = Recovery(scheduler: clock) {
      Signal<Response<Token>, NetworkError>.task { () async throws(NetworkError) in
        guard let client = made.withLock({ $0 }) else { throw NetworkError(.invalidTransport) }
        await Task.yield()
        do {
          return try await client.enqueue(request: Request(.post, "/token"), resultType: Token.self).value()
        } catch {
          throw (error as? NetworkError) ?? NetworkError(.invalidTransport)
        }
      }
    }
    let client = client(recovery)
    made.withLock { $0 = client }
    let recorder = items(client)
    // Its task needs a thread of the pool, which other tests may hold.
    await recorder.waitForEnd()
    expectEqual(recorder.failure?.statusCode, 401)
    expectEqual(recorder.failure?.request?.method, .post)
    made.withLock { $0 = nil }
  }

  /// Over the app's own client and on another thread nobody can know: it ends all the same.
  @Test("P5") func aRefreshThatWaitsForItselfEnds() {
    let made = Guarded<NetworkClient?>(nil)
    stub.on("POST", "/token", .status(401))
    let clock = clock
    let recovery = Recovery(scheduler: clock) {
      Signal<Response<Int>, NetworkError>.deferred {
        made.withLock { $0 }?.enqueue(request: Request(.post, "/token"), resultType: Int.self) ?? .never
      }
      .subscribe(on: clock)
    }
    let client = client(recovery)
    made.withLock { $0 = client }
    let recorder = items(client)
    clock.advance(by: .seconds(29))
    expect(recorder.events.isEmpty)
    expectEqual(refreshCount, 1)
    clock.advance(by: .seconds(1))
    expectEqual(recorder.failure?.code, .recoveryTimedOut)
    expectEqual(clock.pendingCount, 0)
    made.withLock { $0 = nil }
  }

  /// The step for the network begins where the stored response was looked up, which is no thread of the refresh.
  @Test("P5") func aRefreshThatAlsoAsksTheCacheDoesNotWaitForItself() {
    let made = Guarded<NetworkClient?>(nil)
    stub.on("GET", "/config", .status(401))
    let recovery = Recovery(scheduler: clock) {
      let request = Request(.get, "/config", cache: .cacheThenNetwork)
      return made.withLock { $0 }?.enqueue(request: request, resultType: Int.self) ?? .never
    }
    let client = client(recovery) { [clock] in
      $0.processing = clock
      $0.cache = ResponseCache()
    }
    made.set(client)
    let recorder = items(client)
    clock.advance(by: .seconds(1))
    expectEqual(recorder.failure?.code, .status(401))
    expectEqual(recorder.failure?.response?.url.path, "/config")
    made.set(nil)
  }

  @Test func theClientOfARefreshIsLikeItsOwnButForRecoveries() {
    let given = Guarded<[NetworkClient]>([])
    let recovery = Recovery(scheduler: clock) { client in
      given.withLock { $0.append(client) }
      return client.enqueue(request: Request(.post, "/token"), resultType: Token.self)
    }
    let client = client(recovery) { $0.builder.headers = ["X-App": "1"] }
    let recorder = items(client)
    clock.advance(by: .seconds(1))
    expectEqual(stub.requests.last?.headers["X-App"], "1")
    let own = given.withLock { $0 }
    expectEqual(own.count, 1)
    expectEqual(own.first?.configuration.recoveries.isEmpty, true)
    // It is of the identity for which it was made, and of no other.
    account.value = "ben"
    expectEqual(recorder.failure?.code, .contextChanged)
    let late = own.map { SignalRecorder($0.exchange(request: "/items")) }
    expectEqual(late.map(\.failure?.code), [.contextChanged])
    expectEqual(stub.requests.count, 2)
  }

  /// Accounts that come and go are not kept.
  @Test func eachAccountHasItsOwnLimit() {
    let client = client(recovery()) { _ in }
    stub.on("POST", "/token", .json(#"{"token":"x"}"#))
    for name in ["ann", "ben", "cat"] {
      account.value = name
      for count in 1...4 {
        expectEqual(items(client).failure?.code, (count > 3 ? .recoveryRefused : .status(401)))
      }
    }
    expectEqual(refreshCount, 9)
  }

  /// A server refuses a nonce that it has seen.
  @Test("P5") func aReplayIsSignedAnew() {
    stub.on("GET", "/v1/items", .status(401), .json("7"))
    let signer = HMACSigner(key: Data("key".utf8), location: .header)
    let client = client(recovery()) {
      $0.services = ServiceRegistry([Bookshop(defaultCommon: [], signer: signer)])
      $0.middleware = [.header("X-Shop-Pass") { [token] in token.value }]
    }
    let recorder = SignalRecorder(
      client.enqueue(request: Request(.get, "items", service: "books"), resultType: Int.self))
    clock.run()
    expectEqual(recorder.values.map(\.value), [7])
    let sent = stub.requests.filter { $0.method == .get }.map(\.headers)
    expectEqual(sent.map { $0["X-Shop-Pass"] }, ["old", "new"])
    for name in ["X-Nonce", "X-Signature"] { expectEqual(Set(sent.compactMap { $0[name] }).count, 2, "\(name)") }
  }
}
