import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import TestSupport
import Testing

/// A response that has arrived while the main actor was busy signing out is not delivered there.
@MainActor struct SignOutTests {
  private let account = CurrentValue<String?>("ann")
  private let kit: TestKit

  private struct Item: Decodable, Sendable { let id: Int }

  init() {
    let account = account
    kit = TestKit { $0.account = account }
    kit.stub.on(.get, "/name", .json(#""ann""#))
    kit.stub.on(.get, "/names", .json(#"["ann"]"#))
  }

  @Test("P9") func aCallFailsInPlaceOfShowingTheNameOfAFormerAccount() async {
    let call = kit.client.call("/name", as: String.self)
    let ended = SignalRecorder(call.signal)
    expectEqual(call.value, "ann")
    account.value = nil
    await ended.waitForEnd()
    expectEqual(ended.failure?.code, .contextChanged)
    expectEqual(call.error?.code, .contextChanged)
    expectNil(call.value)
  }

  @Test("P9") func aCallWithAStoredResponseFailsInPlaceOfSucceedingWithoutAValue() async throws {
    kit.stub.on(.get, "/stored", .json(#""ann""#), .json(#""Ann""#))
    let request = Request(.get, "/stored", cache: .cacheThenNetwork)
    await expectEqual(try kit.client.value(of: request, as: String.self), "ann")
    let call = kit.client.call(request, as: String.self)
    let ended = SignalRecorder(call.signal)
    expectEqual(kit.stub.requests.count, 2)
    // Both the stored and the network's response wait for the main actor.
    account.value = nil
    await ended.waitForEnd()
    expectEqual(ended.failure?.code, .contextChanged)
    expectEqual(call.error?.code, .contextChanged)
    expectNil(call.value)
  }

  @Test("P9", arguments: [StubAnswer.status(304), .json("[]")])
  func aCallWithoutAValueFailsInPlaceOfSucceeding(_ answer: StubAnswer) async {
    kit.stub.on(.get, "/list", answer)
    let call = kit.client.call(Request(.get, "/list", headers: ["If-None-Match": "\"1\""]), as: Item.self)
    let ended = SignalRecorder(call.signal)
    expectEqual(kit.stub.requests.count, 1)
    account.value = nil
    await ended.waitForEnd()
    expectEqual(ended.failure?.code, .contextChanged)
    expectNil(call.rawResponse)
  }

  @Test("P9", arguments: [(304, ""), (200, "[]")])
  func aJoinedCallWithoutAValueFailsInPlaceOfSucceeding(_ status: Int, _ body: String) async {
    let transport = HandTransport()
    var configuration = kit.client.configuration
    configuration.transport = transport
    let client = NetworkClient(configuration)
    let request = Request(.get, "/list", headers: ["If-None-Match": "\"1\""])
    let lane = Lane(.exclusive(.join))
    let calls = (0..<2).map { _ in client.call(request, as: Item.self, in: lane) }
    let ends = calls.map { SignalRecorder($0.signal) }
    expectEqual(transport.requests.count, 1)
    transport.head(0, status)
    transport.body(0, body)
    transport.exchange(0).complete()
    account.value = nil
    for end in ends { await end.waitForEnd() }
    expectEqual(ends.map { $0.failure?.code }, [.contextChanged, .contextChanged])
  }

  @Test("P9") func aPagerShowsNoItemsOfAFormerAccount() async {
    let pager = Pager(kit.client.pages(request: "/names", of: String.self))
    pager.beginRefresh()
    expectEqual(kit.stub.requests.count, 1)
    account.value = nil
    await until { !pager.isRefreshing }
    expectEqual(pager.items, [])
    expectEqual(pager.error?.code, .contextChanged)
  }

  @Test("P9") func aPagerIsNotUpToDateForAnotherAccount() async {
    kit.stub.on(.get, "/list", .json(#"["ann"]"#), .status(304))
    let request = Request(.get, "/list", headers: ["If-None-Match": "\"1\""])
    let pager = Pager(kit.client.pages(request: request, of: String.self))
    pager.beginRefresh()
    await until { !pager.isRefreshing }
    expectEqual(pager.items, ["ann"])
    expect(!pager.hasMore)
    pager.beginRefresh()
    expectEqual(kit.stub.requests.count, 2)
    account.value = "ben"
    await until { !pager.isRefreshing }
    expectEqual(pager.error?.code, .contextChanged)
    expect(pager.hasMore)
  }

  @Test("P9") func aLoopOverPagesThrowsInPlaceOfEndingForAnotherAccount() async {
    let transport = HandTransport()
    var configuration = kit.client.configuration
    configuration.transport = transport
    let client = NetworkClient(configuration)
    let task = Task { () async -> NetworkError.Code? in
      let request = Request(.get, "/list", headers: ["If-None-Match": "\"1\""])
      do throws(NetworkError) {
        for try await _ in client.pages(request: request, of: String.self) {}
        return nil
      } catch {
        return error.code
      }
    }
    await until { transport.requests.count == 1 }
    transport.head(0, 304)
    transport.exchange(0).complete()
    account.value = "ben"
    await expectEqual(task.value, .contextChanged)
  }

  #if compiler(>=6.2)
  @Test("P9") func anAsyncFunctionThrowsInPlaceOfReturningTheNameOfAFormerAccount() async {
    let transport = HandTransport()
    var configuration = kit.client.configuration
    configuration.transport = transport
    let client = NetworkClient(configuration)
    let task = Task { () async -> NetworkError.Code? in
      do throws(NetworkError) {
        _ = try await client.value(of: "/name", as: String.self)
        return nil
      } catch {
        return error.code
      }
    }
    await until { transport.requests.count == 1 }
    transport.answer(0, #""ann""#)
    account.value = nil
    let code = await task.value
    expectEqual(code, .contextChanged)
  }
  #endif

  @Test("P9", arguments: [StubAnswer.json(#"{"name":"ann"}"#, status: 422), .failure(NetworkError(.connectionLost))])
  func aFailureOfAFormerAccountIsNotDelivered(_ answer: StubAnswer) async {
    kit.stub.on(.get, "/bad", answer)
    let call = kit.client.call("/bad", as: String.self)
    let pager = Pager(kit.client.pages(request: "/bad", of: String.self))
    let ended = SignalRecorder(call.signal)
    pager.beginRefresh()
    expectEqual(kit.stub.requests.count, 2)
    account.value = nil
    await ended.waitForEnd()
    await until { !pager.isRefreshing }
    for error in [ended.failure, call.error, pager.error] {
      expectEqual(error?.code, .contextChanged)
      expectNil(error?.response)
    }
    expectNil(call.rawResponse)
  }

  private final class SessionCall: Call<String> {
    let account: CurrentValue<String?>

    init(account: CurrentValue<String?>, client: NetworkClient) {
      self.account = account
      super.init(client: client)
    }

    override nonisolated var path: RequestPath { "/name" }
    override func didSucceed() { account.value = value }
    override func didFail() { account.value = nil }
  }

  @Test func aCallWhoseHookSignsInReturnsItsResponse() async throws {
    account.value = nil
    let call = SessionCall(account: account, client: kit.client)
    try await expectEqual(call.send().value, "ann")
    expectEqual(account.value, "ann")
  }

  @Test func aCallWhoseHookSignsOutThrowsTheFailureThatTheHookHasSeen() async {
    kit.stub.on(.get, "/name", .status(422))
    let call = SessionCall(account: account, client: kit.client)
    await #expect {
      try await call.send()
    } throws: {
      ($0 as? NetworkError)?.code == .status(422)
    }
    expectNil(account.value)
  }

  // Before Swift 6.2, an async function does not end on its caller's actor, which is busy here.
  #if compiler(>=6.2)
  private final class Local: Decodable {}

  private static func ask(_ client: NetworkClient, by way: String) async throws(NetworkError) {
    switch way {
    case "value": _ = try await client.value(of: "/name", as: String.self)
    case "local": _ = try await client.value(of: "/name", as: Local.self)
    case "upload": _ = try await client.upload(Request(.get, "/name"), as: String.self)
    case "call": _ = try await client.call("/name", as: String.self).send()
    default:
      var pages = client.pages(request: "/name", of: String.self).makeAsyncIterator()
      _ = try await pages.next()
    }
  }

  @Test("P9", arguments: ["value", "local", "upload", "call", "pages"], [200, 422])
  func anAsyncFunctionThrowsNoFailureOfAFormerAccount(_ way: String, _ status: Int) async {
    let transport = HandTransport()
    var configuration = kit.client.configuration
    configuration.transport = transport
    let client = NetworkClient(configuration)
    let task = Task { () async -> NetworkError? in
      do throws(NetworkError) {
        try await Self.ask(client, by: way)
        return nil
      } catch {
        return error
      }
    }
    await until { transport.requests.count == 1 }
    transport.head(0, status)
    transport.body(0, ["local": "{}", "pages": #"["ann"]"#][way] ?? #""ann""#)
    transport.exchange(0).complete()
    account.value = nil
    let error = await task.value
    expectEqual(error?.code, .contextChanged)
    expectNil(error?.response)
  }
  #endif

  /// The app signs out because of this failure, before the main actor delivers it.
  @Test("P9", arguments: [nil, 401, 400]) func theFailureByWhichTheAppSignsOutIsDelivered(_ refresh: Int?) async {
    let account = account
    let client = kit.makeClient {
      $0.account = account
      $0.onUnauthorized = { _ in account.value = nil }
      guard refresh != nil else { return }
      $0.recoveries = [
        Recovery { client in
          client.enqueue(request: "/token", resultType: String.self)
        } onFailure: { _ in
          account.value = nil
        }
      ]
    }
    kit.stub.on(.get, "/bad", .status(401))
    if let refresh { kit.stub.on(.get, "/token", .status(refresh)) }
    let ended = SignalRecorder(client.call("/bad", as: String.self).signal)
    expectNil(account.value)
    await ended.waitForEnd()
    expectEqual(ended.failure?.code, .status(refresh ?? 401))
    account.value = "ann"
    let pager = Pager(client.pages(request: "/bad", of: String.self))
    pager.beginRefresh()
    expectNil(account.value)
    await until { !pager.isRefreshing }
    expectEqual(pager.error?.code, .status(refresh ?? 401))
  }

  /// Changes the account on another thread, while the main actor is busy.
  private func signOutElsewhere() {
    let isDone = DispatchSemaphore(value: 0)  // blocks: nothing is delivered meanwhile
    Thread.detachNewThread { [account] in
      account.value = nil
      isDone.signal()
    }
    isDone.wait()
  }

  @Test("P9 S1-17") func theHookOfAChangedAccountRunsOnTheThreadThatChangesIt() async {
    kit.stub.on(.post, "/leaves", .never)
    let call = LeaveCall(days: 3, client: kit.client)
    let ended = SignalRecorder(call.signal)
    expectEqual(kit.stub.activeCount, 1)
    signOutElsewhere()
    await ended.waitForEnd()
    expectEqual(call.log.texts, ["willFail \(NetworkError.Code.contextChanged)", "didFail"])
    expectEqual(call.log.mainTexts, ["didFail"])
  }

  @Test("P9 S1-17", arguments: [CachePolicy.default, .cacheThenNetwork], [200, 422])
  func eachHookRunsOnce(_ policy: CachePolicy, _ status: Int) async {
    kit.stub.on(.post, "/leaves", .json(#"{"days":1}"#), .json(#"{"days":2}"#, status: status))
    let options = RequestOptions.with { $0.cache = policy }
    let call = LeaveCall(days: 3, client: kit.client, options: options)
    await SignalRecorder(call.signal).waitForEnd()
    let count = call.log.texts.count
    call.accessories = [call.log]
    let ended = SignalRecorder(call.signal)
    expectEqual(kit.stub.requests.count, 2)
    signOutElsewhere()
    await ended.waitForEnd()
    expectEqual(ended.failure?.code, .contextChanged)
    expectNil(call.value)
    // On the main actor, because `willSucceed` has run.
    if status == 200 { expect(call.log.mainTexts.contains("willFail \(NetworkError.Code.contextChanged)")) }
    var expected = ["willStart"]
    if policy.mode == .cacheThenNetwork { expected.append("willSucceed 1") }
    if status == 200 { expected.append("willSucceed 2") }
    expected += [
      "willFail \(status == 200 ? "\(NetworkError.Code.contextChanged)" : "422")", "willStop", "didFail", "didStop",
    ]
    expectEqual(call.log.texts.dropFirst(count), expected[...])
  }
}
