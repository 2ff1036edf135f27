import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// The cache together with retries, signers, removals and unsafe requests in flight.
struct CacheRaceTests {
  struct Item: Codable, Sendable, Equatable { var id: Int }

  private struct Positive: ResponseMapper {
    func map<Value>(_ response: Response<Value>) throws(NetworkError) -> Response<Value> {
      if (response.value as? Item)?.id ?? 0 < 0 { throw NetworkError(.unexpectedShape) }
      return response
    }
  }

  private let hour: HTTPHeaders = ["Cache-Control": "max-age=3600"]

  private func record(_ kit: TestKit, _ request: Request) async -> SignalRecorder<Response<Item>, NetworkError> {
    let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: Item.self))
    await kit.clock.advance(by: .seconds(1))
    return recorder
  }

  @Test func aRetryIsNotAnsweredWithTheStoredFailure() async {
    let kit = TestKit { $0.retry = Retry(limit: 2, backoff: .none) }
    kit.stub.on(.get, "/a", .status(503, headers: hour), .json(Item(id: 2), headers: hour))
    let recorder = await record(kit, Request(.get, "/a", cache: .http))
    expectEqual(recorder.values.map(\.value.id), [2])
    expectEqual(kit.stub.requests.count, 2)
  }

  @Test func aRefreshedTokenIsTriedAtTheServer() async {
    let kit = TestKit { $0.recoveries = [Recovery(statuses: [401]) { _ in }] }
    kit.stub.on(.get, "/a", .status(401, headers: hour), .json(Item(id: 2)))
    let recorder = await record(kit, Request(.get, "/a", cache: .http))
    // The refresh is a task, for which a turn of the clock may be too short.
    await recorder.waitForEnd()
    expectEqual(recorder.values.map(\.value.id), [2])
  }

  @Test func aMissingResourceIsRememberedUnderTheRulesOfHTTP() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .status(404, headers: hour))
    for _ in 0..<3 { await expectEqual(record(kit, Request(.get, "/a", cache: .http)).failure?.code, .status(404)) }
    expectEqual(kit.stub.requests.count, 1)
  }

  @Test func aStoredFailureIsNothingForThePoliciesOfAnApp() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .status(404, headers: hour), .json(Item(id: 2)))
    _ = await record(kit, Request(.get, "/a", cache: .http))
    await expectEqual(record(kit, Request(.get, "/a", cache: .onlyIfCached)).failure?.code, .notCached)
    let recorder = await record(kit, Request(.get, "/a", cache: .timeToLive(.seconds(60))))
    expectEqual(recorder.values.map(\.value.id), [2])
  }

  @Test func aRejectedResponseLeavesTheStoredOne() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .json("{}", headers: ["Vary": "Accept"]))
    _ = await record(kit, Request(.get, "/a", cache: .reload))
    await expectEqual(record(kit, Request(.get, "/a", cache: .reload)).failure?.domain, .processing)
    await expectEqual(record(kit, Request(.get, "/a", cache: .onlyIfCached)).values.map(\.value.id), [1])
  }

  /// A list that is delivered element by element fails after its first values.
  @Test(arguments: [false, true]) func aListThatFailsLaterLeavesTheStoredOne(_ isMapped: Bool) async {
    let kit = TestKit { if isMapped { $0.stages = Stages(mapper: Positive()) } }
    let wrong = isMapped ? #"{"id": -4}"# : "{}"
    kit.stub.on(
      .get, "/a", .json(#"[{"id": 1}, {"id": 2}]"#), .json("[{\"id\": 3}, \(wrong)]"), .json(#"[{"id": 5}]"#))
    let stored = Request(.get, "/a", cache: .onlyIfCached)
    for (expected, last) in [([1, 2], [1, 2]), ([3], [1, 2]), ([5], [5])] {
      await expectEqual(record(kit, Request(.get, "/a", cache: .reload)).values.map(\.value.id), expected)
      await expectEqual(record(kit, stored).values.map(\.value.id), last)
    }
  }

  /// Each element has its own envelope; one has no payload, one an array.
  @Test(
    "S3-7",
    arguments: [
      (#"{"code": 7, "msg": "no"}"#, false), (#"{"code": 0}"#, false), (#"{"code": 0, "data": [{}]}"#, false),
      ("{}", true), (#"{"code": 0, "data": {"id": -4}}"#, true),
    ])
  func aListOfEnvelopesThatFailsLaterLeavesTheStoredOne(_ wrong: String, _ isMapped: Bool) async {
    let kit = TestKit { $0.stages = Stages(envelope: .codeMessageData, mapper: isMapped ? Positive() : nil) }
    func item(_ id: Int) -> String { "{\"code\": 0, \"data\": {\"id\": \(id)}}" }
    kit.stub.on(
      .get, "/a", .json("[\(item(1)), \(item(2))]"), .json("[\(item(3)), \(item(4)), \(wrong)]"),
      .json("[\(item(5)), \(item(6))]"))
    let stored = Request(.get, "/a", cache: .onlyIfCached)
    for (expected, last) in [([1, 2], [1, 2]), ([3, 4], [1, 2]), ([5, 6], [5, 6])] {
      let recorder = await record(kit, Request(.get, "/a", cache: .reload))
      expectEqual(recorder.values.map(\.value.id), expected)
      expectEqual(recorder.isCompleted, expected != [3, 4])
      await expectEqual(record(kit, stored).values.map(\.value.id), last)
    }
  }

  @Test("S3-7", arguments: [false, true]) func aMappedListIsStoredBeforeItsFirstElement(_ isWrapped: Bool) async {
    let kit = TestKit { $0.stages = Stages(envelope: isWrapped ? .codeMessageData : nil, mapper: Positive()) }
    let items = [1, 2].map { isWrapped ? "{\"code\": 0, \"data\": {\"id\": \($0)}}" : "{\"id\": \($0)}" }
    kit.stub.on(.get, "/a", .json("[\(items[0]), \(items[1])]"))
    let again = Guarded<SignalRecorder<Response<Item>, NetworkError>?>(nil)
    let first = kit.client.enqueue(request: Request(.get, "/a", cache: .reload), resultType: Item.self).take(1)
    first.subscribe(
      onValue: { _ in
        let stored = kit.client.enqueue(request: Request(.get, "/a", cache: .onlyIfCached), resultType: Item.self)
        again.withLock { $0 = SignalRecorder(stored) }
      }, onFailure: { _ in })
    await kit.clock.advance(by: .seconds(1))
    expectEqual(again.withLock { $0 }?.values.map(\.value.id), [1, 2])
  }

  /// Its fields belong to the stored response as well (RFC 9111 §4.3.5).
  @Test(arguments: [("Vary", "Accept-Language"), ("Vary", "*"), ("Cache-Control", "no-store, max-age=60")])
  func aHeadThatForbidsReuseRemovesTheResponse(_ name: String, _ value: String) async {
    let kit = TestKit()
    var headers: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
    let first = StubAnswer.json(Item(id: 1), headers: headers)
    headers[name] = value
    kit.stub.on(.get, "/a", first, .json(Item(id: 2), headers: headers))
    kit.stub.on(.head, "/a", .status(200, headers: headers))
    _ = await record(kit, Request(.get, "/a", cache: .http))
    let check = Request(.head, "/a", headers: ["Cache-Control": "no-cache"], cache: .http)
    await SignalRecorder(kit.client.exchange(request: check)).waitForEnd()
    let request = Request(.get, "/a", headers: ["Accept-Language": "en"], cache: .http)
    await expectEqual(record(kit, request).values.map(\.value.id), [2])
  }

  @Test func anUnchangedValueIsMarkedAfterARetry() async {
    let kit = TestKit { $0.retry = Retry(limit: 2, backoff: .none) }
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .status(503), .json(Item(id: 1)))
    let request = Request(.get, "/a", cache: .cacheThenNetwork)
    _ = await record(kit, request)
    await expectEqual(record(kit, request).values.map(\.isUnchanged), [false, true])
  }

  @Test func aSignatureIsNoPartOfTheKey() async {
    struct Stamp: Signer {
      let count: CurrentValue<Int>

      func sign(_ draft: inout RequestDraft) throws(NetworkError) {
        count.modify { $0 += 1 }
        draft.headers["Authorization"] = "Signature \(count.value)"
      }
    }
    let kit = TestKit()
    kit.stub.on(.get, "/a", .json(Item(id: 1)))
    let stamp = Stamp(count: CurrentValue(0))
    let request = Request(
      .get, "/a", cache: .timeToLive(.seconds(60)), options: .with { $0.signer = stamp })
    for _ in 0..<3 { await expectEqual(record(kit, request).values.count, 1) }
    expectEqual(kit.stub.requests.count, 1)
  }

  @Test func aRemovalOutlivesARequestInFlight() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", StubAnswer.json(Item(id: 1)).delayed(by: .seconds(5)), .json(Item(id: 2)))
    let request = Request(.get, "/a", cache: .timeToLive(.seconds(60)))
    let first = await record(kit, request)
    kit.client.configuration.cache.removeAll()
    await kit.clock.advance(by: .seconds(10))
    expectEqual(first.values.map(\.value.id), [1])
    await expectEqual(record(kit, request).values.map(\.value.id), [2])
  }

  @Test func aChangeInvalidatesAResponseInFlight() async throws {
    let kit = TestKit()
    kit.stub.on(
      .get, "/a", StubAnswer.json(Item(id: 1), headers: hour).delayed(by: .seconds(5)),
      .json(Item(id: 2), headers: hour))
    kit.stub.on(.post, "/a", .status(204))
    let request = Request(.get, "/a", cache: .http)
    let first = await record(kit, request)
    _ = try await kit.client.send(Request(.post, "/a"))
    await kit.clock.advance(by: .seconds(10))
    expectEqual(first.values.map(\.value.id), [1])
    await expectEqual(record(kit, request).values.map(\.source), [.network])
    await expectEqual(record(kit, request).values.map(\.value.id), [2])
    expectEqual(kit.stub.requests.count, 3)
  }

  /// The cache is used for the first time while the change is in flight.
  @Test func aChangeInFlightInvalidatesTheFirstStoredResponse() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .json(Item(id: 1), headers: hour), .json(Item(id: 2), headers: hour))
    kit.stub.on(.post, "/a", StubAnswer.status(204).delayed(by: .seconds(5)))
    let change = SignalRecorder(kit.client.exchange(request: Request(.post, "/a")))
    let request = Request(.get, "/a", cache: .http)
    await expectEqual(record(kit, request).values.map(\.value.id), [1])
    await kit.clock.advance(by: .seconds(10))
    expect(change.isCompleted)
    await expectEqual(record(kit, request).values.map(\.value.id), [2])
  }

  @Test func aRefreshInTheBackgroundObeysNoStore() async {
    let kit = TestKit()
    let short: HTTPHeaders = ["Cache-Control": "max-age=1, stale-while-revalidate=60"]
    kit.stub.on(
      .get, "/a", .json(Item(id: 1), headers: short), .json(Item(id: 2), headers: ["Cache-Control": "no-store"]),
      .json(Item(id: 3)))
    let request = Request(.get, "/a", cache: .http)
    _ = await record(kit, request)
    await kit.clock.advance(by: .seconds(5))
    await expectEqual(record(kit, request).values.map(\.value.id), [1])
    expectEqual(kit.stub.requests.count, 2)
    await expectEqual(record(kit, request).values.map(\.value.id), [3])
  }

  @Test func aRefreshInTheBackgroundReplacesTheResponse() async {
    let kit = TestKit()
    let short: HTTPHeaders = ["Cache-Control": "max-age=3, stale-while-revalidate=60"]
    kit.stub.on(
      .get, "/a", .json(Item(id: 1), headers: short),
      StubAnswer.json(Item(id: 2), headers: short).delayed(by: .seconds(3)))
    let request = Request(.get, "/a", cache: .http)
    _ = await record(kit, request)
    await kit.clock.advance(by: .seconds(5))
    for _ in 0..<2 { await expectEqual(record(kit, request).values.map(\.value.id), [1]) }
    // One refresh for both.
    expectEqual(kit.stub.requests.count, 2)
    await kit.clock.advance(by: .seconds(2))
    await expectEqual(record(kit, request).values.map(\.value.id), [2])
  }

  @Test(arguments: [nil, CurrentValue<String?>("ann")])
  func aRefreshInTheBackgroundThatIsDroppedIsFollowedByAnother(_ account: CurrentValue<String?>?) async {
    /// Middleware that drops the second exchange without an event.
    struct Dropping: Middleware {
      let count = CurrentValue(0)

      func intercept(_ request: HTTPRequest, next: @escaping Next) -> Signal<TransportEvent, NetworkError> {
        count.modify { $0 += 1 }
        return count.value == 2 ? Signal { _ in nil } : next(request)
      }
    }
    let dropping = Dropping()
    let kit = TestKit { configuration in
      configuration.middleware = [dropping]
      configuration.account = account
    }
    let short: HTTPHeaders = ["Cache-Control": "max-age=3, stale-while-revalidate=60"]
    kit.stub.on(.get, "/a", .json(Item(id: 1), headers: short), .json(Item(id: 2), headers: short))
    let request = Request(.get, "/a", cache: .http)
    _ = await record(kit, request)
    await kit.clock.advance(by: .seconds(5))
    for count in [2, 3] {
      await expectEqual(record(kit, request).values.map(\.value.id), [1])
      expectEqual(dropping.count.value, count)
    }
    await expectEqual(record(kit, request).values.map(\.value.id), [2])
  }

  /// Sends a request whose response is stored, then another one, and returns whether the stored response is left.
  private func isLeft(_ kit: TestKit, _ path: String, after request: Request) async -> Bool {
    let policy = CachePolicy.timeToLive(.seconds(60))
    _ = await record(kit, Request(.get, RequestPath(path), cache: policy))
    _ = await record(kit, request)
    return await record(kit, Request(.get, RequestPath(path), cache: .onlyIfCached)).values.count == 1
  }

  /// Neither what the redirect of a change leads to nor that it is refused matters: the change has been made.
  @Test(arguments: [StubAnswer.status(404), .status(500), .failure(NetworkError(.connectionLost)), nil])
  func aRedirectOfAChangeInvalidatesWhateverFollows(_ answer: StubAnswer?) async {
    let kit = TestKit()
    kit.stub.on(.get, "/orders", .json(Item(id: 1)))
    kit.stub.on(.post, "/orders", .status(303, headers: ["Location": answer == nil ? "ftp://a.example" : "/done"]))
    if let answer { kit.stub.on(.get, "/done", answer) }
    await expect(!isLeft(kit, "/orders", after: Request(.post, "/orders")))
  }

  /// Fields of a response are about its own URL, not about that of the first request.
  @Test func aRedirectedChangeInvalidatesWhereItEnds() async {
    let kit = TestKit()
    let other = "https://b.example"
    for path in ["/victim", "/made"] as [String] { kit.stub.on(.get, path, .json(Item(id: 1))) }
    kit.stub.on(.post, "/a", .status(307, headers: ["Location": "\(other)/b"]))
    kit.stub.on(
      .post, "/b",
      .status(201, headers: ["Location": "/made", "Content-Location": "https://api.example.com/victim"]))
    await expect(isLeft(kit, "/victim", after: Request(.post, "/a")))
    await expect(!isLeft(kit, "\(other)/made", after: Request(.post, "/a")))
  }

  @Test(arguments: [CachePolicy.reload, .networkThenCache]) func aChangeWithAPolicyInvalidates(
    _ policy: CachePolicy
  ) async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .json(Item(id: 1)))
    kit.stub.on(.put, "/a", .json(Item(id: 2)))
    await expect(!isLeft(kit, "/a", after: Request(.put, "/a", cache: policy)))
  }

  /// The `Host` field names the site that was changed.
  @Test func aChangeInvalidatesTheResponsesOfItsHost() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .json(Item(id: 1)))
    kit.stub.on(.post, "/a", .status(204))
    func stored(_ host: String) async -> Int {
      await record(kit, Request(.get, "/a", headers: ["Host": host], cache: .onlyIfCached)).values.count
    }
    for host in ["b.example", "c.example"] {
      _ = await record(kit, Request(.get, "/a", headers: ["Host": host], cache: .reload))
    }
    _ = await record(kit, Request(.post, "/a", headers: ["Host": "b.example"]))
    await expectEqual(stored("b.example"), 0)
    await expectEqual(stored("c.example"), 1)
  }

  /// Others are forgotten as little as the latest one.
  @Test func manyChangesDoNotHideOne() throws {
    let cache = ResponseCache()
    let request = HTTPRequest(url: try require(URL(string: "https://a.example/first")))
    let key = try require(CacheKey(request))
    expect(!cache.isInvalidated(key, since: 0))
    cache.invalidate([request.url], for: request)
    for number in 0..<1_200 {
      cache.invalidate([try require(URL(string: "https://a.example/\(number)"))], for: request)
    }
    expect(cache.isInvalidated(key, since: 0))
  }

  @Test(arguments: [
    Request(.get, "/a", cache: .onlyIfCached),
    Request(.get, "/a", headers: ["Range": "bytes=0-"], cache: .onlyIfCached),
    Request(.get, "/a", cache: .reload), Request(.get, "/a", totalTimeout: .seconds(1), cache: .http),
    Request(.post, "/b"), Request(.post, "/b", totalTimeout: .seconds(1)), Request(.post, "/b", cache: .reload),
  ])
  func noErrorKeepsTheClientAlive(_ request: Request) async {
    weak var parts: ClientParts?
    var error: NetworkError?
    do {
      let kit = TestKit()
      parts = kit.client.scope.parts
      kit.client.configuration.cache.markUsed()
      for method in [HTTPMethod.get, .post] { kit.stub.on(method, "/*", .never) }
      let recorder = SignalRecorder(kit.client.exchange(request: request))
      await kit.clock.advance(by: .seconds(100))
      error = recorder.failure
    }
    expect(error?.request != nil)
    expectNil(parts)
  }
}
