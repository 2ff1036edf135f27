import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// All pages of one reading belong to one account and environment.
struct PageIdentityTests {
  private let stub = StubTransport()
  private let account = CurrentValue<String?>("ann")
  private let store = EnvironmentStore(build: .develop, storage: .memory())
  private let client: NetworkClient
  private let request = Request(.get, "items", service: "books", options: .with { $0.common = [] })

  init() {
    stub.on(.get, "/v1/items", .json("[1]", headers: ["Link": "<?page=2>;rel=next"]))
    stub.on(.get, "/v1/items", query: ["page": "2"], .json("[2]"))
    var configuration = NetworkClient.Configuration(services: [Bookshop()], environments: store, transport: stub)
    configuration.account = account
    configuration.processing = .immediate
    client = NetworkClient(configuration)
  }

  @Test("P9", arguments: ["ben", nil, "ann"]) func aChangeOfAccountFailsTheNextPage(_ next: String?) async throws {
    var iterator = client.pages(request: request, of: Int.self).makeAsyncIterator()
    try await expectEqual(iterator.next()?.value, [1])
    account.value = next
    if next == "ann" {
      try await expectEqual(iterator.next()?.value, [2])
      return
    }
    do throws(NetworkError) {
      _ = try await iterator.next()
      Issue.record("the page was read")
    } catch {
      expectEqual(error.code, .contextChanged)
    }
    expectEqual(stub.requests.count, 1)
  }

  @Test("P9") func aChangeOfEnvironmentFailsTheNextPage() throws {
    let recorder = SignalRecorder(
      client.pages(request: request, of: Int.self).signal.on(value: { [store] _ in try? store.switch(to: .test) }))
    expectEqual(recorder.failure?.code, .contextChanged)
    expectEqual(stub.requests.count, 1)
    // The next reading is of the new environment.
    let next = SignalRecorder(client.pages(request: request, of: Int.self).signal)
    expectEqual(next.values.count, 2)
    expectEqual(stub.requests.last?.url.host, "books-test.example.com")
  }

  @Test("P9") func signingOutAndInAgainIsAChange() async throws {
    let pages = client.pages(request: request, as: [Int].self) { [request] page in
      if page.value == [2] { return nil }
      var next = request
      next.query = ["page": 2]
      return next
    }
    var iterator = pages.makeAsyncIterator()
    _ = try await iterator.next()
    account.value = nil
    account.value = "ann"
    await #expect(throws: NetworkError.self) { _ = try await iterator.next() }
    expectEqual(stub.requests.count, 1)
    var again = pages.makeAsyncIterator()
    while try await again.next() != nil {}
    expectEqual(stub.requests.count, 3)
  }

  /// The page after the rows is that of the former account, so the list begins anew.
  @MainActor @Test("P9") func aPagerThatStaysReadsTheFirstPageAgain() async {
    stub.on(.get, "/v1/items", query: ["page": "2"], .json("[3]"))
    stub.on(
      .get, "/v1/items", .json("[1]", headers: ["Link": "<?page=2>;rel=next"]),
      .json("[2]", headers: ["Link": "<?page=2>;rel=next"]))
    let (pager, clock) = (Pager(client.pages(request: request, of: Int.self)), TestClock())
    await pager.refresh()
    account.value = "ben"
    pager.loadMore()
    await clock.advance()
    expectEqual(pager.error?.code, .contextChanged)
    expectEqual(pager.items, [1])
    expect(pager.hasMore)
    pager.loadMore()
    expect(pager.isRefreshing)
    await clock.advance()
    expectNil(pager.error)
    expectEqual(pager.items, [2])
    pager.loadMore()
    await clock.advance()
    expectEqual(pager.items, [2, 3])
    expectEqual(stub.requests.count, 3)
  }

  /// The rows of the former account would stay for ever.
  @MainActor @Test("P9") func aPagerThatHasReadAllReadsTheFirstPageAgain() async {
    stub.on(.get, "/v1/items", .json("[1]"), .never, .json("[2]"))
    let (pager, clock) = (Pager(client.pages(request: request, of: Int.self)), TestClock())
    await pager.refresh()
    expect(!pager.hasMore)
    func begin() { pager.refresh() }
    begin()
    account.value = "ben"
    await clock.advance()
    expectEqual(pager.error?.code, .contextChanged)
    pager.loadMore()
    await clock.advance()
    expectNil(pager.error)
    expectEqual(pager.items, [2])
    expect(!pager.hasMore)
  }

  @MainActor @Test("P9") func aChangeBeforeTheLastPageIsShownHasTheAppsMessage() async {
    let (account, clock) = (CurrentValue<String?>("ann"), TestClock())
    let kit = TestKit {
      $0.account = account
      $0.messages[.contextChanged] = "You were signed out."
    }
    kit.stub.on(.get, "/items", .json("[1]"))
    let pager = Pager(kit.client.pages(request: "/items", of: Int.self))
    pager.beginRefresh()
    account.value = nil
    await clock.advance()
    expectEqual(pager.error?.code, .contextChanged)
    expectEqual(pager.error?.message, "You were signed out.")
    expectEqual(pager.items, [])
  }

  @Test("P9") func aRequestWithoutServiceIsOfNoEnvironment() throws {
    stub.on(.get, "/items", .json("[1]", headers: ["Link": "</items?page=2>;rel=next"]))
    stub.on(.get, "/items", query: ["page": "2"], .json("[2]"))
    let recorder = SignalRecorder(
      client.pages(request: "https://a.example/items", of: Int.self).signal
        .on(value: { [store] _ in try? store.switch(to: .test) }))
    expectEqual(recorder.values.count, 2)
    expect(recorder.isCompleted)
  }

  @Test("P9") func recoveriesApplyToEachPage() {
    let kit = TestKit { configuration in
      configuration.account = CurrentValue("ann")
      configuration.recoveries = [Recovery { client in client.exchange(request: "/token").map { _ in () } }]
    }
    kit.stub.on(.get, "/token", .status(204))
    kit.stub.on(.get, "/items", .json("[1]", headers: ["Link": "</items?page=2>;rel=next"]))
    kit.stub.on(.get, "/items", query: ["page": "2"], .status(401), .json("[2]"))
    let recorder = SignalRecorder(kit.client.pages(request: "/items", of: Int.self).elements)
    expectEqual(recorder.values, [1, 2])
    expectEqual(kit.stub.requests.map(\.url.path), ["/items", "/items", "/token", "/items"])
  }
}
