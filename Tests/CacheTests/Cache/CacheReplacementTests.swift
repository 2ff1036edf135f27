import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// What becomes of a stored response when another one arrives for it.
final class CacheReplacementTests: Sendable {
  struct Item: Codable, Sendable, Equatable { var id: Int }
  struct Name: Codable, Sendable, Equatable { var name: String }

  private let folder = FileManager.default.temporaryDirectory.appending(path: "cache-\(UUID().uuidString)")
  /// Each use is validated.
  private let checked: HTTPHeaders = ["Cache-Control": "no-cache", "ETag": "\"1\""]

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func body(_ number: UInt8, _ size: Int) -> Data { Data(repeating: number, count: size) }

  private func kit(_ cache: ResponseCache) -> TestKit { TestKit { $0.cache = cache } }

  private func record(
    _ kit: TestKit, _ policy: CachePolicy, isCoalesced: Bool = false, _ path: RequestPath = "/a"
  ) -> SignalRecorder<Response<Data>, NetworkError> {
    let request = Request(.get, path, cache: policy, options: .with { $0.isCoalesced = isCoalesced })
    return SignalRecorder(kit.client.exchange(request: request))
  }

  private func stored(_ kit: TestKit) async -> Data? {
    let recorder = record(kit, .onlyIfCached)
    await kit.clock.advance()
    return recorder.values.first?.value
  }

  @Test func aLongResponseReplacesTheStoredOneOnlyWhenItIsComplete() async {
    let kit = kit(ResponseCache(memoryByteCount: 40_000))
    let long = body(2, 20_000)
    let cut = StubAnswer([.head(status: 200), .body(long), .failure(NetworkError(.connectionLost))])
    kit.stub.on(.get, "/a", .data(body(1, 100)), cut, .data(long))
    for expected in [body(1, 100), body(1, 100), nil] {
      _ = record(kit, .reload)
      await kit.clock.advance(by: .seconds(1))
      await expectEqual(stored(kit), expected)
    }
    expectEqual(kit.stub.requests.count, 3)
  }

  /// The response is older than the removal, whoever joins its exchange afterwards.
  @Test func aJoinedExchangeThatIsOlderThanARemovalIsNotStored() async {
    let cache = ResponseCache()
    let kit = kit(cache)
    kit.stub.on(.get, "/a", StubAnswer.data(body(1, 100)).delayed(by: .seconds(2)))
    let first = record(kit, .reload, isCoalesced: true)
    await kit.clock.advance(by: .seconds(1))
    cache.removeAll()
    let second = record(kit, .reload, isCoalesced: true)
    await kit.clock.advance(by: .seconds(1))
    expectEqual(first.values.count, 1)
    expectEqual(second.values.first?.source, .shared)
    await expect(stored(kit) == nil && kit.stub.requests.count == 1)
  }

  /// A 304 that arrives after another request has replaced the stored response.
  @Test(arguments: [1_000, 2_000_000], [0, 20_000_000])
  func aLate304LeavesTheNewerResponse(_ size: Int, _ memory: Int) async throws {
    let kit = kit(try ResponseCache(folder: folder, memoryByteCount: memory))
    var newer = checked
    newer["ETag"] = "\"2\""
    kit.stub.on(
      .get, "/a", .data(body(1, size), headers: checked),
      StubAnswer.status(304, headers: checked).delayed(by: .seconds(5)),
      .data(body(2, size), headers: newer), .status(304, headers: newer))
    _ = record(kit, .http)
    await kit.clock.advance(by: .seconds(1))
    let late = record(kit, .http)
    await kit.clock.advance(by: .seconds(1))
    let replacing = record(kit, .reload)
    await kit.clock.advance(by: .seconds(5))
    expectEqual(late.values.map(\.value), [body(1, size)])
    expectEqual(late.values.first?.source, .revalidated)
    expectEqual(replacing.values.map(\.value), [body(2, size)])
    let last = record(kit, .http)
    await kit.clock.advance(by: .seconds(1))
    expectEqual(kit.stub.requests.last?.headers["If-None-Match"], "\"2\"")
    expectEqual(last.values.map(\.value), [body(2, size)])
    expectEqual(last.values.first?.source, .revalidated)
  }

  /// A response that arrives after one that was requested later does not replace it, even if it is too long to be stored.
  @Test(arguments: [(1_000, 20_000_000, false), (6_000_000, 20_000_000, false), (1_000, 0, true), (500_000, 0, true)])
  func anOlderResponseThatArrivesLateIsNotStored(_ size: Int, _ memory: Int, _ isOnDisk: Bool) async throws {
    let kit = kit(isOnDisk ? try ResponseCache(folder: folder, memoryByteCount: memory) : ResponseCache())
    let newer = body(2, min(size, 500_000))
    kit.stub.on(.get, "/a", StubAnswer.data(body(1, size)).delayed(by: .seconds(5)), .data(newer))
    let slow = record(kit, .reload)
    await kit.clock.advance(by: .seconds(1))
    let fast = record(kit, .reload)
    await kit.clock.advance(by: .seconds(10))
    expectEqual([slow, fast].map(\.values.first?.value), [body(1, size), newer])
    await expectEqual(stored(kit), newer)
  }

  @Test(arguments: [HTTPMethod.get, .head])
  func anOlderResponseThatArrivesLateRemovesNoNewerOne(_ method: HTTPMethod) async throws {
    let kit = kit(ResponseCache())
    kit.stub.on(.get, "/a", .data(body(1, 10), headers: checked))
    _ = record(kit, .http)
    let other: HTTPHeaders = ["Cache-Control": method == .get ? "no-store" : "no-cache", "ETag": "\"3\""]
    kit.stub.on(method, "/a", StubAnswer.data(body(3, 10), headers: other).delayed(by: .seconds(5)))
    let slow = SignalRecorder(kit.client.exchange(request: Request(method, "/a", cache: .http)))
    kit.stub.on(.get, "/a", .data(body(2, 10)))
    await kit.clock.advance(by: .seconds(1))
    _ = record(kit, .reload)
    await kit.clock.advance(by: .seconds(10))
    await expect(stored(kit) == body(2, 10) && slow.values.count == 1)
  }

  /// A newer response that is written between the check and the write of an older one.
  @Test(arguments: [false, true]) func ofTwoWritesAtOnceTheOlderOneDoesNotStay(_ isOnDisk: Bool) throws {
    let cache = isOnDisk ? try ResponseCache(folder: folder) : ResponseCache()
    let url = try require(URL(string: "https://api.example.com/a"))
    let request = HTTPRequest(url: url)
    let key = try require(CacheKey(request))
    let place = StorageLocation(key: key, primary: key)
    func response(_ seconds: Double) -> StoredResponse {
      let time = Date(timeIntervalSince1970: seconds)
      let head = CachedHead(statusCode: 200, headers: [:], requestedAt: time, receivedAt: time)
      return StoredResponse(key: place.key.text, url: url, head: head, version: 0, isHTTP: true)
    }
    let (old, new) = (response(1), response(2))
    let isNewest = cache.replacing(
      place.key.name, with: old.head.requestedAt, if: { true },
      write: {
        expect(cache.store(new, .data(body(2, 10)), at: place).isWritten)
        cache.write(.response(old), body(1, 10), for: place.key.name)
      })
    expect(!isNewest)
    guard case .missing = cache.find(place.key, request, readsDisk: true) else { return expect(Bool(false)) }
    // After both, the order is known again.
    expect(cache.store(old, .data(body(1, 10)), at: place).isWritten)
    expect(cache.store(new, .data(body(2, 10)), at: place).isWritten)
    expect(!cache.store(old, .data(body(1, 10)), at: place).isWritten)
  }

  /// An unsafe request or a removal between the check and the write of a response from before it.
  @Test(arguments: [false, true], [false, true])
  func aResponseIsNotFoundThatIsWrittenDuringAChange(_ isOnDisk: Bool, _ isRemoval: Bool) throws {
    let cache = isOnDisk ? try ResponseCache(folder: folder) : ResponseCache()
    let request = HTTPRequest(url: try require(URL(string: "https://api.example.com/a")))
    let key = try require(CacheKey(request))
    let time = Date(timeIntervalSince1970: 1)
    let head = CachedHead(statusCode: 200, headers: [:], requestedAt: time, receivedAt: time)
    let old = StoredResponse(key: key.text, url: request.url, head: head, version: 0, isHTTP: true)
    func isFound() -> Bool {
      if case .found = cache.find(key, request, readsDisk: true) { true } else { false }
    }
    let written: Void? = cache.writing(key.name, of: key, since: cache.invalidationCount) {
      isRemoval ? cache.removeAll() : cache.invalidate([request.url], for: request)
      expect(cache.store(old, .data(body(1, 10)), at: StorageLocation(key: key, primary: key)).isWritten)
      expect(!isFound())
    }
    expectNil(written)
    expect(!isFound())
    let isStored = cache.writing(key.name, of: key, since: cache.invalidationCount) {
      cache.store(old, .data(body(1, 10)), at: StorageLocation(key: key, primary: key)).isWritten && isFound()
    }
    expectEqual(isStored, true)
    expect(isFound() && cache.unconfirmedWrites.withLock { $0[key.name] == nil })
    expectNil(cache.writing(key.name, of: key, since: -1) {})
  }

  @Test func aResponseFromTheFutureIsReplacedAfterTheClockWasSetBack() async {
    let clock = Guarded(Date(timeIntervalSince1970: 2_000_000))
    let kit = kit(ResponseCache { clock.withLock { $0 } })
    kit.stub.on(.get, "/a", .data(body(1, 10)), .data(body(2, 10)))
    for number: UInt8 in 1...2 {
      _ = record(kit, .reload)
      await kit.clock.advance()
      await expectEqual(stored(kit), body(number, 10))
      clock.withLock { $0 -= 1_000_000 }
    }
  }

  @Test func variantsRequestedAtTheSameTimeAreAllStored() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a") { request in
      let headers: HTTPHeaders = ["Vary": "Accept-Language", "Cache-Control": "max-age=60"]
      let text = Data((request.headers["Accept-Language"] ?? "").utf8)
      return StubAnswer([.head(status: 200, headers: headers), .delay(.seconds(1)), .body(text)])
    }
    for source in [ResponseSource.network, .cache(age: .seconds(1))] {
      let recorders = ["de", "en", "fr"].map { language in
        let request = Request(.get, "/a", headers: ["Accept-Language": language], cache: .http)
        return SignalRecorder(kit.client.enqueue(request: request, resultType: String.self))
      }
      await kit.clock.advance(by: .seconds(1))
      expectEqual(recorders.map(\.values.first?.value), ["de", "en", "fr"])
      expectEqual(recorders.map(\.values.first?.source), [source, source, source])
    }
  }

  /// The body of a long response is read after the 304 has arrived.
  @Test func aDamagedBodyIsFetchedAfterA304() async throws {
    let kit = kit(try ResponseCache(folder: folder, memoryByteCount: 0))
    let size = 2_000_000
    kit.stub.on(
      .get, "/a", .data(body(1, size), headers: checked), .status(304, headers: checked), .data(body(2, size)))
    _ = record(kit, .http)
    await kit.clock.advance(by: .seconds(1))
    let files = try require(FileManager.default.subpaths(atPath: folder.path)).map { folder.appending(path: $0) }
    let file = try require(files.first { ($0.fileByteCount ?? 0) > size })
    var data = try Data(contentsOf: file)
    data[size / 2] ^= 1
    try data.write(to: file)
    let recorder = record(kit, .http)
    await kit.clock.advance(by: .seconds(1))
    expectEqual(recorder.values.map(\.value), [body(2, size)])
    expectEqual(kit.stub.requests.map { $0.headers["If-None-Match"] }, [nil, "\"1\"", nil])
  }

  @Test func ignoredParametersDoNotMatterAfterA304() async {
    struct Shop: Service {
      var id: ServiceID { "shop" }
      var ignoredParameters: Set<String> { ["t"] }
      func addresses(in environment: ServiceEnvironment) -> ServiceAddresses? {
        URL(string: "https://shop.example").map { ServiceAddresses($0) }
      }
    }
    let kit = TestKit { $0.services = ServiceRegistry([Shop()]) }
    kit.stub.on(.get, "/a", .data(body(1, 10), headers: checked), .status(304, headers: checked))
    for (t, source) in [("1", ResponseSource.network), ("2", .revalidated)] {
      let request = Request(.get, "/a", service: "shop", query: ["t": t], cache: .http)
      let recorder = SignalRecorder(kit.client.exchange(request: request))
      await kit.clock.advance(by: .seconds(1))
      expectEqual(recorder.values.map(\.value), [body(1, 10)])
      expectEqual(recorder.values.first?.source, source)
    }
    expectEqual(kit.stub.requests.count, 2)
  }

  /// Reads an item, and then a name, which the stored item is not.
  private func expectReplacement(_ kit: TestKit, _ request: Request) async {
    let first = SignalRecorder(kit.client.enqueue(request: request, resultType: Item.self))
    await kit.clock.advance(by: .seconds(1))
    let second = SignalRecorder(kit.client.enqueue(request: request, resultType: Name.self))
    await kit.clock.advance(by: .seconds(1))
    expectEqual(first.values.map(\.value), [Item(id: 1)])
    expectEqual(second.values.map(\.value), [Name(name: "new")])
  }

  /// A stored response that the app can no longer read is fetched again, by the rules of HTTP if those were asked for.
  @Test func anUnreadableResponseIsReplacedByTheRulesOfHTTP() async {
    let kit = TestKit()
    kit.stub.on(
      .get, "/a", .json(Item(id: 1), headers: ["Cache-Control": "max-age=60"]),
      .json(Name(name: "new"), headers: ["Cache-Control": "no-store"]))
    let request = Request(.get, "/a", cache: .http)
    await expectReplacement(kit, request)
    await expect(stored(kit) == nil && kit.stub.requests.count == 2)
  }

  /// The refresh in the background is over when the stale response turns out to be unreadable.
  @Test(arguments: [false, true]) func anUnreadableResponseIsNotRemovedInPlaceOfANewerOne(_ isOnDisk: Bool) async throws
  {
    let kit = kit(isOnDisk ? try ResponseCache(folder: folder) : ResponseCache())
    let stale: HTTPHeaders = ["Cache-Control": "max-age=0, stale-while-revalidate=60"]
    kit.stub.on(.get, "/a", .json(Item(id: 1), headers: stale), .json(Name(name: "new"), headers: stale), .status(403))
    let request = Request(.get, "/a", cache: .http)
    let first = SignalRecorder(kit.client.enqueue(request: request, resultType: Item.self))
    await kit.clock.advance(by: .seconds(1))
    let second = SignalRecorder(kit.client.enqueue(request: request, resultType: Name.self))
    await kit.clock.advance(by: .seconds(1))
    expectEqual(first.values.map(\.value), [Item(id: 1)])
    expectEqual(second.failure?.code, .status(403))
    expectEqual(kit.stub.requests.count, 3)
    let data = try require(await stored(kit))
    try expectEqual(JSONDecoder().decode(Name.self, from: data), Name(name: "new"))
  }

  @Test func anUnreadableResponseIsAFailedAttempt() async {
    let log = MonitorLog()
    let kit = TestKit { $0.monitors = [log] }
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .json(Name(name: "new")))
    await expectReplacement(kit, Request(.get, "/a", cache: .timeToLive(.seconds(60))))
    let ends = log.attempts.map { "\($0.outcome.name), sent: \($0.wasSent)" }
    expectEqual(ends, ["succeeded, sent: true", "failed, sent: false", "succeeded, sent: true"])
    expectEqual(log.requests.map(\.outcome.name), ["succeeded", "succeeded"])
  }

  @Test func aDeliveredStoredResponseIsASucceededAttemptAlsoIfNoOtherCanBeBuilt() async {
    struct Failing: RequestFilter {
      let count = CurrentValue(0)

      func filter(_ draft: inout RequestDraft) throws(NetworkError) {
        count.modify { $0 += 1 }
        if count.value > 3 { throw NetworkError(.invalidParameters) }
      }
    }
    let log = MonitorLog()
    let kit = TestKit {
      $0.monitors = [log]
      $0.filters = [Failing()]
      $0.retry = .never
    }
    kit.stub.on(.get, "/a", .json(Item(id: 1)))
    for _ in 1...2 {
      let recorder = SignalRecorder(
        kit.client.enqueue(request: Request(.get, "/a", cache: .cacheThenNetwork), resultType: Item.self))
      await kit.clock.advance(by: .seconds(1))
      expectEqual(recorder.values.map(\.value), [Item(id: 1)])
    }
    expectEqual(log.attempts.map(\.outcome.name), ["failed", "succeeded", "succeeded"])
    expectEqual(log.requests.map(\.outcome.name), ["succeeded", "failed"])
  }

  @Test func theRequestThatReplacesAnUnreadableResponseIsBuiltAnew() async {
    struct Stamp: RequestFilter {
      func filter(_ draft: inout RequestDraft) { draft.headers["X-Stamp"] = UUID().uuidString }
    }
    let kit = TestKit { $0.filters = [Stamp()] }
    kit.stub.on(.get, "/a", .json(Item(id: 1), headers: checked), .status(304), .json(Name(name: "new")))
    await expectReplacement(kit, Request(.get, "/a", cache: .http))
    expectEqual(Set(kit.stub.requests.map { $0.headers["X-Stamp"] }).count, 3)
  }

  /// A server accepts a signature once, and the first one was that of the request that it has answered with a 304.
  @Test func theRequestThatReplacesAnUnreadableResponseIsSignedAnew() async {
    let signer = HMACSigner(key: Data("secret".utf8), location: .header)
    let kit = TestKit { $0.services = ServiceRegistry([Bookshop(defaultCommon: [], signer: signer)]) }
    kit.stub.on(
      .get, "/v1/a", .json(Item(id: 1), headers: checked), .status(304, headers: checked), .json(Name(name: "new")))
    let request = Request(.get, "a", service: "books", cache: .http)
    await expectReplacement(kit, request)
    let sent = kit.stub.requests
    expectEqual(sent.map { $0.headers["If-None-Match"] }, [nil, "\"1\"", nil])
    for name in ["X-Nonce", "X-Signature"] {
      expectEqual(Set(sent.compactMap { $0.headers[name] }).count, 3, "\(name)")
    }
    let verifier = SignatureVerifier(location: .header, names: .header)
    for request in sent {
      let isAccepted = verifier.accepts(method: "GET", target: "/v1/a", body: Data()) { request.headers[$0] }
      expect(isAccepted)
    }
  }
}
