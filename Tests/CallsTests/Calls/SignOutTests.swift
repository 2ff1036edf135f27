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
}
