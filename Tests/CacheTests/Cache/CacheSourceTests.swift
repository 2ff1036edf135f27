import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// What is read without a network, and what is stored: S3-2 to S3-7, S3-10, S3-11, T15.
struct CacheSourceTests {
  struct Item: Codable, Sendable, Equatable { var id: Int }

  private let network = ManualReachability(.reachable)
  private var kit: TestKit { TestKit { $0.reachability = network } }

  private func record(_ kit: TestKit, _ request: Request) async -> SignalRecorder<Response<Item>, NetworkError> {
    let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: Item.self))
    await kit.clock.advance()
    return recorder
  }

  @Test("S3-2 S3-6 S3-11 T15") func aFreshResponseNeedsNoNetwork() async {
    let kit = kit
    kit.stub.on(.get, "/provinces", .json(Item(id: 1)))
    let request = Request(.get, "/provinces", cache: .timeToLive(.seconds(30 * 86_400)))
    _ = await record(kit, request)
    await kit.clock.advance(by: .seconds(29 * 86_400))
    network.set(.unreachable)
    await expectEqual(record(kit, request).values.map(\.value.id), [1])
    expectEqual(kit.stub.requests.count, 1)
    await kit.clock.advance(by: .seconds(2 * 86_400))
    await expectEqual(record(kit, request).failure?.code, .unreachable)
  }

  @Test func aTimeToLiveMayFallBackToTheStoredResponse() async {
    let kit = kit
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .status(503), .status(404), .json(Item(id: 2)))
    let request = Request(.get, "/a", cache: .timeToLive(.seconds(60), orStored: true))
    for _ in 0..<2 { await expectEqual(record(kit, request).values.map(\.value.id), [1]) }
    expectEqual(kit.stub.requests.count, 1)
    await kit.clock.advance(by: .seconds(61))
    await expectEqual(record(kit, request).values.map(\.source), [.cache(age: .seconds(61))])
    expectEqual(kit.stub.requests.count, 2)
    // Neither the network nor the server has failed.
    await expectEqual(record(kit, request).failure?.code, .status(404))
    network.set(.unreachable)
    await expectEqual(record(kit, request).values.map(\.value.id), [1])
    network.set(.reachable)
    await expectEqual(record(kit, request).values.map(\.value.id), [2])
    kit.stub.on(.get, "/b", .status(503))
    await expectEqual(record(kit, Request(.get, "/b", cache: request.options.cache)).failure?.code, .status(503))
  }

  @Test("S3-4 S3-6 T15") func offlineThePermanentResponseIsFollowedBy668() async {
    let kit = kit
    kit.stub.on(.get, "/a", .json(Item(id: 1)))
    let request = Request(.get, "/a", cache: .cacheThenNetwork)
    network.set(.unreachable)
    await expectEqual(record(kit, request).failure?.code, .unreachable)
    network.set(.reachable)
    _ = await record(kit, request)
    network.set(.unreachable)
    let recorder = await record(kit, request)
    expectEqual(recorder.values.map(\.value.id), [1])
    expectEqual(recorder.failure?.code, NetworkError.Code(.client, 668))
  }

  @Test("T15") func offlineNeitherTokenNorSignatureIsFetched() async {
    let fetches = Guarded(0)
    let kit = TestKit {
      $0.reachability = network
      // Without accounts a response to a token is not stored.
      $0.account = CurrentValue("ann")
      $0.middleware = [
        .bearer {
          fetches.withLock { $0 += 1 }
          return "token"
        }
      ]
    }
    kit.stub.on(.get, "/a", .json(Item(id: 1)))
    let request = Request(.get, "/a", cache: .networkThenCache)
    await expectEqual(record(kit, request).values.count, 1)
    network.set(.unreachable)
    let recorder = await record(kit, request)
    expectEqual(recorder.values.map(\.source), [.cache(age: .zero)])
    expectEqual(fetches.withLock { $0 }, 1)
  }

  @Test("S3-4") func afterAFailureTheStoredResponseIsDelivered() async throws {
    let kit = kit
    kit.stub.on(
      .get, "/a", .json(Item(id: 1)), .status(503), .failure(NetworkError(.timedOut)), .status(404),
      .json("{}"), .failure(NetworkError(.responseTooLarge)), .failure(NetworkError(.rejectedClientCertificate)))
    let request = Request(.get, "/a", cache: .networkThenCache)
    await expectEqual(record(kit, request).values.map(\.source), [.network])
    for _ in 0..<2 {
      let recorder = await record(kit, request)
      expectEqual(recorder.values.map(\.value.id), [1])
      expectEqual(recorder.values.map(\.source), [.cache(age: .zero)])
    }
    // Neither the network nor the server has failed.
    await expectEqual(record(kit, request).failure?.code, .status(404))
    await expectEqual(record(kit, request).failure?.domain, .processing)
    // Nor when a setting of the app refuses the response.
    await expectEqual(record(kit, request).failure?.code, .responseTooLarge)
    await expectEqual(record(kit, request).failure?.code, .rejectedClientCertificate)
  }

  @Test func anAnswerOfTheCacheAloneIsNotRetried() async {
    let kit = kit
    let request = Request(
      .get, "/a", headers: ["Cache-Control": "only-if-cached"], retry: Retry(limit: 2), cache: .http)
    await expectEqual(record(kit, request).failure?.code, .status(504))
    expect(kit.stub.requests.isEmpty)
  }

  @Test func stubsCanBeOfflineOrSlow() async {
    let kit = kit
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .offline, .timeout)
    let request = Request(.get, "/a", cache: .networkThenCache)
    for _ in 0..<3 { await expectEqual(record(kit, request).values.map(\.value.id), [1]) }
    kit.stub.on(.get, "/b", .offline, .timeout)
    await expectEqual(record(kit, Request(.get, "/b")).failure?.isOffline, true)
    await expectEqual(record(kit, Request(.get, "/b")).failure?.isTimeout, true)
  }

  @Test(arguments: [0, 1]) func theStoredResponseKnowsTheFailedAttempts(_ retryCount: Int) async {
    let log = MonitorLog()
    let kit = TestKit { $0.monitors = [log] }
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .status(503), .status(502))
    let request = Request(
      .get, "/a", retry: Retry(limit: retryCount, backoff: .none), cache: .networkThenCache)
    _ = await record(kit, request)
    let recorder = await record(kit, request)
    expectEqual(recorder.values.map(\.value.id), [1])
    let codes = Array([503, 502].prefix(retryCount + 1))
    expectEqual(recorder.values.first?.metrics?.earlierAttempts.map(\.code), codes)
    expectEqual(log.requests.map(\.attempt), [1, retryCount + 1])
    expectEqual(log.requests.last?.metrics?.earlierAttempts.map(\.code), codes)
  }

  @Test func retriesComeBeforeTheStoredResponse() async {
    let kit = kit
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .status(503), .json(Item(id: 2)))
    let request = Request(.get, "/a", retry: Retry(limit: 2, backoff: .none), cache: .networkThenCache)
    _ = await record(kit, request)
    await expectEqual(record(kit, request).values.map(\.value.id), [2])
  }

  @Test func onlyTheCacheIsRead() async {
    let kit = kit
    kit.stub.on(.get, "/a", .json(Item(id: 1)))
    await expectEqual(record(kit, Request(.get, "/a", cache: .onlyIfCached)).failure?.code, .notCached)
    _ = await record(kit, Request(.get, "/a", cache: .reload))
    await kit.clock.advance(by: .seconds(1_000_000))
    await expectEqual(record(kit, Request(.get, "/a", cache: .onlyIfCached)).values.map(\.value.id), [1])
    expectEqual(kit.stub.requests.count, 1)
  }

  @Test func aReloadReplacesTheStoredResponse() async {
    let kit = kit
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .json(Item(id: 2)))
    let request = Request(.get, "/a", cache: .timeToLive(.seconds(60)))
    _ = await record(kit, request)
    await expectEqual(record(kit, Request(.get, "/a", cache: .reload)).values.map(\.value.id), [2])
    await expectEqual(record(kit, request).values.map(\.value.id), [2])
  }

  @Test("S3-7") func aResponseIsStoredBeforeItIsDelivered() async {
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
    expectEqual(nested.withLock { $0 }?.values.map(\.source), [.cache(age: .zero)])
    expectEqual(kit.stub.requests.count, 1)
  }

  @Test(
    "S3-7",
    arguments: [
      StubAnswer.status(500), .status(404), .json(#"{"code": 7, "message": "no", "data": null}"#), .json("not JSON"),
      .json(#"{"code": 0, "message": "", "data": {"other": 1}}"#), .failure(NetworkError(.timedOut)),
    ])
  func aFailedResponseIsNotStored(_ answer: StubAnswer) async {
    let kit = TestKit { $0.stages = Stages(envelope: .codeMessageData) }
    kit.stub.on(.get, "/a", answer, .json(#"{"code": 0, "message": "", "data": {"id": 2}}"#))
    let request = Request(.get, "/a", cache: .timeToLive(.seconds(60)))
    await expect(record(kit, request).failure != nil)
    await expectEqual(record(kit, Request(.get, "/a", cache: .onlyIfCached)).failure?.code, .notCached)
    await expectEqual(record(kit, request).values.map(\.value.id), [2])
    await expectEqual(record(kit, request).values.map(\.source), [.cache(age: .zero)])
  }

  @Test("S3-7") func aCancelledRequestStoresNothing() async {
    let kit = kit
    kit.stub.on(.get, "/a", StubAnswer.json(Item(id: 1)).delayed(by: .seconds(1)), .json(Item(id: 2)))
    let request = Request(.get, "/a", cache: .timeToLive(.seconds(60)))
    let recorder = await record(kit, request)
    recorder.subscription.dispose()
    await kit.clock.advance(by: .seconds(2))
    expectEqual(kit.stub.cancelledCount, 1)
    await expectEqual(record(kit, request).values.map(\.value.id), [2])
  }

  @Test func aStoredResponseOfAnotherShapeIsFetchedAgain() async {
    struct Other: Codable, Sendable { var name: String }
    let kit = kit
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .json(Other(name: "x")))
    let request = Request(.get, "/a", cache: .timeToLive(.seconds(60)))
    _ = await record(kit, request)
    let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: Other.self))
    await kit.clock.advance()
    expectEqual(recorder.values.map(\.value.name), ["x"])
    expectEqual(recorder.values.map(\.source), [.network])
  }

  @Test func asyncCallsReturnOneValue() async throws {
    let kit = kit
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .json(Item(id: 2)), .status(500))
    let request = Request(.get, "/a", cache: .cacheThenNetwork)
    try await expectEqual(kit.client.send(request, as: Item.self).source, .network)
    try await expectEqual(kit.client.value(of: request, as: Item.self).id, 2)
    try await expectEqual(kit.client.send(request, as: Item.self).source, .cache(age: .zero))
    // A raw response is delivered whatever its status.
    try await expectEqual(kit.client.exchange(request: "/a").value().statusCode, 500)
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
    expect(first != second)
    await expectEqual(record(kit, search("a")).values.first?.source, .cache(age: .zero))
    expectEqual(kit.stub.requests.count, 2)
  }

  /// A server refuses the condition of a `POST` with a 412 (RFC 9110 §13.1.2).
  @Test func anExpiredPostIsSentWithoutACondition() async {
    let kit = kit
    kit.stub.on(.post, "/search") { request in
      if request.headers["If-None-Match"] != nil { return .status(412) }
      return .json(Item(id: 1), headers: ["ETag": "\"1\"", "Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"])
    }
    let request = Request(.post, "/search", body: .json(["q": "a"]), cache: .timeToLive(.seconds(60)))
    for _ in 0..<2 {
      await expectEqual(record(kit, request).values.map(\.source), [.network])
      await kit.clock.advance(by: .seconds(61))
    }
    expectEqual(kit.stub.requests.count, 2)
    expectNil(kit.stub.requests.last?.headers["If-Modified-Since"])
  }

  /// Nothing of these can be stored: each is sent once, and not at all if only the cache may answer.
  @Test func whatCannotBeStoredIsSentOnce() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "body-\(UUID().uuidString)")
    try Data("body".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    for (policy, count) in [(CachePolicy.cacheThenNetwork, 1), (.networkThenCache, 1), (.onlyIfCached, 0)] {
      let kit = kit
      kit.stub.on(.post, "/a", .status(503))
      kit.stub.on(.get, "/a", .status(503))
      for request in [
        Request(.post, "/a", body: .file(file, contentType: "text/plain"), cache: policy),
        Request(.get, "/a", headers: ["Range": "bytes=0-9"], cache: policy),
      ] {
        kit.stub.forgetRequests()
        let recorder = await record(kit, request)
        expectEqual(kit.stub.requests.count, count, "\(policy)")
        expectEqual(recorder.failure?.code, count == 0 ? .notCached : .status(503))
      }
      let stream = SignalRecorder(kit.client.stream(request: Request(.get, "/a", cache: policy)))
      expectEqual(stream.failure?.code, count == 0 ? .notCached : .status(503))
    }
  }

  @Test(arguments: [nil, Duration.seconds(5)]) func theStoredResponseReplacesThatOfAServerThatHangs(
    _ totalTimeout: Duration?
  ) async {
    let kit = kit
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .never)
    let request = Request(
      .get, "/a", idleTimeout: .seconds(8), totalTimeout: totalTimeout, cache: .networkThenCache)
    _ = await record(kit, request)
    let recorder = await record(kit, request)
    await kit.clock.advance(by: .seconds(10))
    expectEqual(recorder.values.map(\.value.id), [1])
    expectEqual(recorder.values.first?.source.isCached, true)
  }

  @Test func theStoredResponseIsDeliveredIfTheTotalTimeoutPassesDuringARefresh() async {
    let kit = TestKit { $0.recoveries = [Recovery(scheduler: VirtualScheduler()) { Signal<Void, NetworkError>.never }] }
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .status(401))
    for policy in [CachePolicy.networkThenCache, .timeToLive(.zero, orStored: true)] {
      let request = Request(.get, "/a", totalTimeout: .seconds(5), cache: policy)
      if policy == .networkThenCache { _ = await record(kit, request) }
      let recorder = await record(kit, request)
      await kit.clock.advance(by: .milliseconds(4999))
      expect(!recorder.hasEnded)
      await kit.clock.advance(by: .milliseconds(1))
      expectEqual(recorder.values.map(\.value.id), [1])
      expectEqual(recorder.values.first?.source.isCached, true)
      // The attempt of this request, and not the refresh.
      expectEqual(recorder.values.first?.metrics?.earlierAttempts.map(\.code), [401])
      expect(recorder.isCompleted)
    }
  }

  @Test("S3-4", arguments: [CachePolicy.networkThenCache, .timeToLive(.zero, orStored: true)])
  func theStoredResponseReplacesThatOfARefreshThatHangs(_ policy: CachePolicy) async {
    let kit = TestKit {
      $0.recoveries = [Recovery(scheduler: $0.scheduler) { Signal<Void, NetworkError>.never }]
    }
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .status(401))
    _ = await record(kit, Request(.get, "/a", cache: policy))
    let recorder = await record(kit, Request(.get, "/a", cache: policy))
    await kit.clock.advance(by: .seconds(30))
    expectEqual(recorder.values.map(\.value.id), [1])
    expectEqual(recorder.values.first?.source.isCached, true)
  }

  @Test func readingOnlyTheCacheRemovesNothing() async {
    struct Other: Codable, Sendable { var name: String }
    let kit = kit
    kit.stub.on(.get, "/a", .json(Item(id: 1)))
    _ = await record(kit, Request(.get, "/a", cache: .reload))
    let request = Request(.get, "/a", cache: .onlyIfCached)
    let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: Other.self))
    await kit.clock.advance()
    expectEqual(recorder.failure?.domain, .processing)
    await expectEqual(record(kit, request).values.map(\.value.id), [1])
  }
}
