import Foundation
import Heliograph
import HeliographTesting
import Signals
import Testing

/// What is read without a network, and what is stored: S3-2 to S3-7, S3-10, S3-11, T15.
@Suite struct CacheSourceTests {
  struct Item: Codable, Sendable, Equatable { var id: Int }

  private let network = ManualReachability(.reachable)
  private var kit: TestKit { TestKit { $0.reachability = network } }

  private func record(_ kit: TestKit, _ request: Request) async -> SignalRecorder<Response<Item>, NetworkError> {
    let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: Item.self))
    await kit.clock.advance()
    return recorder
  }

  @Test func aFreshResponseNeedsNoNetwork() async {
    let kit = kit
    kit.stub.on(.get, "/provinces", .json(Item(id: 1)))
    let request = Request(.get, "/provinces", cache: .timeToLive(.seconds(30 * 86_400)))
    _ = await record(kit, request)
    await kit.clock.advance(by: .seconds(29 * 86_400))
    network.set(.unreachable)
    #expect(await record(kit, request).values.map(\.value.id) == [1])
    #expect(kit.stub.requests.count == 1)
    await kit.clock.advance(by: .seconds(2 * 86_400))
    #expect(await record(kit, request).failure?.code == .unreachable)
  }

  @Test func offlineThePermanentResponseIsFollowedBy668() async {
    let kit = kit
    kit.stub.on(.get, "/a", .json(Item(id: 1)))
    let request = Request(.get, "/a", cache: .cacheThenNetwork)
    network.set(.unreachable)
    #expect(await record(kit, request).failure?.code == .unreachable)
    network.set(.reachable)
    _ = await record(kit, request)
    network.set(.unreachable)
    let recorder = await record(kit, request)
    #expect(recorder.values.map(\.value.id) == [1])
    #expect(recorder.failure?.code == 668)
    #expect(recorder.failure?.domain == .client)
  }

  @Test func offlineNeitherTokenNorSignatureIsFetched() async {
    let fetches = Guarded(0)
    let kit = TestKit {
      $0.reachability = network
      $0.middleware = [
        .bearer {
          fetches.withLock { $0 += 1 }
          return "token"
        }
      ]
    }
    kit.stub.on(.get, "/a", .json(Item(id: 1)))
    let request = Request(.get, "/a", cache: .networkThenCache)
    #expect(await record(kit, request).values.count == 1)
    network.set(.unreachable)
    let recorder = await record(kit, request)
    #expect(recorder.values.map(\.source) == [.cache(age: .zero)])
    #expect(fetches.withLock { $0 } == 1)
  }

  @Test func afterAFailureTheStoredResponseIsDelivered() async throws {
    let kit = kit
    kit.stub.on(
      .get, "/a", .json(Item(id: 1)), .status(503), .failure(NetworkError(.network, .timedOut)), .status(404),
      .json("{}"))
    let request = Request(.get, "/a", cache: .networkThenCache)
    #expect(await record(kit, request).values.map(\.source) == [.network])
    for _ in 0..<2 {
      let recorder = await record(kit, request)
      #expect(recorder.values.map(\.value.id) == [1])
      #expect(recorder.values.map(\.source) == [.cache(age: .zero)])
    }
    // Neither the network nor the server has failed.
    #expect(await record(kit, request).failure?.code == 404)
    #expect(await record(kit, request).failure?.domain == .processing)
  }

  @Test func stubsCanBeOfflineOrSlow() async {
    let kit = kit
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .offline, .timeout)
    let request = Request(.get, "/a", cache: .networkThenCache)
    for _ in 0..<3 { #expect(await record(kit, request).values.map(\.value.id) == [1]) }
    kit.stub.on(.get, "/b", .offline, .timeout)
    #expect(await record(kit, Request(.get, "/b")).failure?.isOffline == true)
    #expect(await record(kit, Request(.get, "/b")).failure?.isTimeout == true)
  }

  @Test func retriesComeBeforeTheStoredResponse() async {
    let kit = kit
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .status(503), .json(Item(id: 2)))
    let request = Request(.get, "/a", retry: Retry(limit: 2, backoff: .none), cache: .networkThenCache)
    _ = await record(kit, request)
    #expect(await record(kit, request).values.map(\.value.id) == [2])
  }

  @Test func onlyTheCacheIsRead() async {
    let kit = kit
    kit.stub.on(.get, "/a", .json(Item(id: 1)))
    #expect(await record(kit, Request(.get, "/a", cache: .onlyIfCached)).failure?.code == .notCached)
    _ = await record(kit, Request(.get, "/a", cache: .reload))
    await kit.clock.advance(by: .seconds(1_000_000))
    #expect(await record(kit, Request(.get, "/a", cache: .onlyIfCached)).values.map(\.value.id) == [1])
    #expect(kit.stub.requests.count == 1)
  }

  @Test func aReloadReplacesTheStoredResponse() async {
    let kit = kit
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .json(Item(id: 2)))
    let request = Request(.get, "/a", cache: .timeToLive(.seconds(60)))
    _ = await record(kit, request)
    #expect(await record(kit, Request(.get, "/a", cache: .reload)).values.map(\.value.id) == [2])
    #expect(await record(kit, request).values.map(\.value.id) == [2])
  }

  @Test func aResponseIsStoredBeforeItIsDelivered() async {
    let kit = kit
    kit.stub.on(.get, "/a", .json(Item(id: 1)))
    let request = Request(.get, "/a", cache: .timeToLive(.seconds(60)))
    let nested = Guarded<SignalRecorder<Response<Item>, NetworkError>?>(nil)
    kit.client.enqueue(request: request, resultType: Item.self).subscribe(
      onValue: { _ in
        let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: Item.self))
        nested.withLock { $0 = recorder }
      }, onFailure: { _ in })
    await kit.clock.advance()
    #expect(nested.withLock { $0 }?.values.map(\.source) == [.cache(age: .zero)])
    #expect(kit.stub.requests.count == 1)
  }

  @Test(arguments: [
    StubAnswer.status(500), .status(404), .json(#"{"code": 7, "message": "no", "data": null}"#), .json("not JSON"),
    .json(#"{"code": 0, "message": "", "data": {"other": 1}}"#), .failure(NetworkError(.network, .timedOut)),
  ])
  func aFailedResponseIsNotStored(_ answer: StubAnswer) async {
    let kit = TestKit { $0.stages = Stages(envelope: .codeMessageData) }
    kit.stub.on(.get, "/a", answer, .json(#"{"code": 0, "message": "", "data": {"id": 2}}"#))
    let request = Request(.get, "/a", cache: .timeToLive(.seconds(60)))
    #expect(await record(kit, request).failure != nil)
    #expect(await record(kit, Request(.get, "/a", cache: .onlyIfCached)).failure?.code == .notCached)
    #expect(await record(kit, request).values.map(\.value.id) == [2])
    #expect(await record(kit, request).values.map(\.source) == [.cache(age: .zero)])
  }

  @Test func aCancelledRequestStoresNothing() async {
    let kit = kit
    kit.stub.on(.get, "/a", StubAnswer.json(Item(id: 1)).delayed(by: .seconds(1)), .json(Item(id: 2)))
    let request = Request(.get, "/a", cache: .timeToLive(.seconds(60)))
    let recorder = await record(kit, request)
    recorder.subscription.dispose()
    await kit.clock.advance(by: .seconds(2))
    #expect(kit.stub.cancelledCount == 1)
    #expect(await record(kit, request).values.map(\.value.id) == [2])
  }

  @Test func aStoredResponseOfAnotherShapeIsFetchedAgain() async {
    struct Other: Codable, Sendable { var name: String }
    let kit = kit
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .json(Other(name: "x")))
    let request = Request(.get, "/a", cache: .timeToLive(.seconds(60)))
    _ = await record(kit, request)
    let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: Other.self))
    await kit.clock.advance()
    #expect(recorder.values.map(\.value.name) == ["x"])
    #expect(recorder.values.map(\.source) == [.network])
  }

  @Test func asyncCallsReturnOneValue() async throws {
    let kit = kit
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .json(Item(id: 2)), .status(500))
    let request = Request(.get, "/a", cache: .cacheThenNetwork)
    #expect(try await kit.client.send(request, as: Item.self).source == .network)
    #expect(try await kit.client.value(of: request, as: Item.self).id == 2)
    #expect(try await kit.client.send(request, as: Item.self).source == .cache(age: .zero))
    // A raw response is delivered whatever its status.
    #expect(try await kit.client.response(for: request).statusCode == 500)
  }

  @Test func aPostThatReadsHasItsBodyInTheKey() async {
    let kit = kit
    kit.stub.on(.post, "/search") { request in
      if case .data(let data) = request.body { .json(Item(id: data.count)) } else { .status(400) }
    }
    func search(_ text: String) -> Request {
      Request(.post, "/search", body: .json(["q": text]), cache: .timeToLive(.seconds(60)))
    }
    let first = await record(kit, search("a")).values.first?.value.id
    let second = await record(kit, search("abc")).values.first?.value.id
    #expect(first != second)
    #expect(await record(kit, search("a")).values.first?.source == .cache(age: .zero))
    #expect(kit.stub.requests.count == 2)
  }
}
