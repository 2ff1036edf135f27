import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// What a cache tells: the reasons of misses (P1), statistics, and the outcomes of requests (T8).
struct CacheEventTests {
  struct Item: Codable, Sendable, Equatable { var id: Int }

  private final class Log: Monitor {
    let events = Guarded<[CacheEvent]>([])

    func observe(_ event: MonitorEvent) {
      if case .cache(_, let event) = event { events.withLock { $0.append(event) } }
    }

    func take() -> [CacheEvent] {
      events.withLock { events in
        defer { events = [] }
        return events
      }
    }
  }

  private let log = Log()
  private let account = CurrentValue<String?>("ann")

  private func makeKit(_ configure: (inout NetworkClient.Configuration) -> Void = { _ in }) -> TestKit {
    TestKit {
      $0.monitors = [log]
      $0.account = account
      configure(&$0)
    }
  }

  @Test("S1-19") func everyMissNamesItsReason() async throws {
    let kit = makeKit()
    kit.stub.on(.get, "/a", .json(Item(id: 1)))
    let size = 8
    func send(_ policy: CachePolicy) async throws -> [CacheEvent] {
      _ = try await kit.client.send(Request(.get, "/a", cache: policy), as: Item.self)
      return log.take()
    }
    let minute = CachePolicy.timeToLive(.seconds(60))
    try await expectEqual(send(minute), [.miss(.absent), .stored(byteCount: size)])
    try await expectEqual(send(minute), [.hit(age: .zero)])
    try await expectEqual(send(minute.version(2)), [.miss(.version(stored: 0, wanted: 2)), .stored(byteCount: size)])
    try await expectEqual(send(.reload), [.miss(.requested), .stored(byteCount: size)])
    await kit.clock.advance(by: .seconds(61))
    try await expectEqual(send(minute), [.miss(.expired), .stored(byteCount: size)])
    account.value = "ben"
    try await expectEqual(send(minute), [.miss(.otherAccount), .stored(byteCount: size)])
    let statistics = kit.client.configuration.cache.statistics.value
    expectEqual(statistics.hitCount, 1)
    expectEqual(statistics.missCount, 5)
    expectEqual(statistics.misses[.expired], 1)
    expectEqual(statistics.storedCount, 5)
    expectEqual(statistics.storedByteCount, 5 * size)
  }

  @Test func aMissForLackOfAVariantIsNamed() async throws {
    let kit = makeKit()
    let headers: HTTPHeaders = ["Vary": "Accept-Language", "Cache-Control": "max-age=60"]
    kit.stub.on(.get, "/a", .json(Item(id: 1), headers: headers))
    for (language, event) in [
      ("en", .miss(.absent)), ("de", .miss(.otherVariant)), ("en", .hit(age: .zero)),
    ] as [(String, CacheEvent)] {
      let request = Request(.get, "/a", headers: ["Accept-Language": language], cache: .http)
      _ = try await kit.client.send(request, as: Item.self)
      expectEqual(log.take().first, event)
    }
    expectEqual(kit.client.configuration.cache.statistics.value.misses[.otherVariant], 1)
  }

  /// Its list is used by requests for another language, which is not stored.
  @Test func anEvictionOfAVariantIsNamed() async throws {
    let kit = makeKit { $0.cache = ResponseCache(memoryByteCount: 40_000) }
    kit.stub.on(.get, "/*", .data(Data(count: 8_000), headers: ["Cache-Control": "max-age=60"]))
    kit.stub.on(.get, "/a") { request in
      let isStored = request.headers["Accept-Language"] == "en"
      let headers: HTTPHeaders = ["Vary": "Accept-Language", "Cache-Control": isStored ? "max-age=60" : "no-store"]
      return .data(Data(count: 8_000), headers: headers)
    }
    func send(_ path: RequestPath, _ language: String) async throws -> CacheEvent? {
      let request = Request(.get, path, headers: ["Accept-Language": language], cache: .http)
      _ = try await kit.client.send(request, as: Data.self)
      return log.take().first
    }
    try await expectEqual(send("/a", "en"), .miss(.absent))
    for number in 0..<10 {
      try await expectEqual(send("/a", "de"), .miss(.otherVariant))
      _ = try await send("/\(number)", "en")
    }
    try await expectEqual(send("/a", "en"), .miss(.evicted))
  }

  @Test func theCountsAreSentFromTheFirstSubscriptionOn() async throws {
    let kit = makeKit()
    kit.stub.on(.get, "/a", .json(Item(id: 1)))
    let statistics = kit.client.configuration.cache.statistics
    func send() async throws {
      _ = try await kit.client.send(Request(.get, "/a", cache: .timeToLive(.seconds(60))), as: Item.self)
    }
    try await send()
    try await send()
    let recorders = (0..<2).map { _ in SignalRecorder(statistics.signal) }
    try await send()
    for recorder in recorders { expectEqual(recorder.values.map(\.hitCount), [1, 2]) }
    recorders[0].dispose()
    try await send()
    expectEqual(recorders.map { $0.values.last?.hitCount }, [2, 3])
    expectEqual(statistics.value.hitCount, 3)
    expectEqual(SignalRecorder(statistics.signal).values.map(\.hitCount), [3])
  }

  @Test func anEvictionIsNamed() async throws {
    let kit = makeKit { $0.cache = ResponseCache(memoryByteCount: 40_000) }
    kit.stub.on(.get, "/*", .data(Data(count: 8_000)))
    func send(_ name: Int) async throws -> CacheEvent? {
      _ = try await kit.client.send(Request(.get, "/\(name)", cache: .timeToLive(.seconds(60))), as: Data.self)
      return log.take().first
    }
    for name in 0..<10 { try await expectEqual(send(name), .miss(.absent)) }
    guard case .hit = try await send(9) else { return expect(Bool(false)) }
    try await expectEqual(send(0), .miss(.evicted))
    expect(kit.client.configuration.cache.statistics.value.evictionCount > 4)
  }

  @Test func headerFieldsCountForTheLimitOfTheMemory() async throws {
    let kit = makeKit { $0.cache = ResponseCache(memoryByteCount: 40_000) }
    func send(_ name: Int, _ size: Int) async throws -> [CacheEvent] {
      let answer = StubAnswer.text("x", headers: ["X-Long": String(repeating: "x", count: size)])
      kit.stub.on(.get, "/\(name)", answer)
      _ = try await kit.client.send(Request(.get, "/\(name)", cache: .timeToLive(.seconds(60))), as: Data.self)
      return log.take()
    }
    for name in 0..<10 { try await expectEqual(send(name, 8_000), [.miss(.absent), .stored(byteCount: 1)]) }
    guard case .hit = try await send(9, 0).first else { return expect(Bool(false)) }
    try await expectEqual(send(0, 0).first, .miss(.evicted))
    try await expectEqual(send(10, 10_000), [.miss(.absent), .notStored("it is too large for the memory")])
  }

  @Test func aResponseThatIsOnlyInMemoryIsNotReportedAsStored() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "cache-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let cache = try ResponseCache(folder: folder, reservedByteCount: .max)
    let kit = makeKit { $0.cache = cache }
    kit.stub.on(.get, "/a", .text("x"))
    for _ in 0..<2 {
      _ = try await kit.client.send(Request(.get, "/a", cache: .timeToLive(.seconds(60))), as: Data.self)
    }
    let events = log.take()
    expectEqual(Array(events.prefix(2)), [.miss(.absent), .notStored("the disk is full or cannot be written")])
    guard case .hit? = events.last else { return expect(Bool(false)) }
    expectEqual(cache.statistics.value.storedCount, 0)
  }

  @Test func aResponseThatIsOnlyInMemoryIsConfirmedAgainAndAgain() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "cache-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let cache = try ResponseCache(folder: folder, reservedByteCount: .max)
    let kit = makeKit { $0.cache = cache }
    let headers: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "no-cache"]
    kit.stub.on(.get, "/a") { request in
      request.headers["If-None-Match"] == nil ? .text("x", headers: headers) : .status(304, headers: headers)
    }
    for source in [ResponseSource.network, .revalidated, .revalidated, .revalidated] {
      try await expectEqual(kit.client.send(Request(.get, "/a", cache: .http), as: Data.self).source, source)
    }
  }

  @Test func whatIsNotStoredIsSaidOnce() async throws {
    let kit = makeKit()
    kit.stub.on(.get, "/a", .json("{}", headers: ["Cache-Control": "no-store"]))
    for round in 0..<3 {
      _ = try await kit.client.send(Request(.get, "/a", cache: .http))
      let events = log.take()
      expectEqual(events.contains(.notStored("the response has no-store")), (round == 0))
    }
  }

  @Test("T8 P1") func outcomesTellApartWhatHasNoValue() async throws {
    let kit = makeKit()
    kit.stub.on(
      .get, "/a", .json("[]", headers: ["ETag": "e1"]), .status(204), .status(304), .json(#"[{"id": 1}, {"id": 2}]"#),
      .json(Item(id: 3)),
      .status(500))
    func names(_ policy: CachePolicy = .none) async -> [String] {
      let request = Request(.get, "/a", headers: ["If-None-Match": "\"x\""], cache: policy)
      let recorder = SignalRecorder(kit.client.outcomes(of: request, as: Item.self))
      await kit.clock.advance()
      return recorder.events.map { event in
        switch event {
        case .value(.value(let response)): "value \(response.value.id)"
        case .value(.unchanged(let response)): "unchanged \(response.value.id)"
        case .value(.emptyList(let response)): "empty list \(response.statusCode) \(response.etag ?? "")"
        case .value(.noContent(let response)): "no content \(response.statusCode)"
        case .value(.notModified(let response)): "not modified \(response.statusCode)"
        case .failed(let error): "failed \(error.code)"
        case .completed: "completed"
        }
      }
    }
    await expectEqual(names(), ["empty list 200 e1", "completed"])
    await expectEqual(names(), ["no content 204", "completed"])
    await expectEqual(names(), ["not modified 304", "completed"])
    await expectEqual(names(), ["value 1", "value 2", "completed"])
    await expectEqual(names(), ["value 3", "completed"])
    await expectEqual(names(), ["failed 500"])
  }

  @Test func aFailedAttemptHasNoOutcome() async {
    for retry in [true, false] {
      let kit = TestKit {
        if retry { $0.retry = Retry(limit: 1, backoff: .constant(.zero)) }
        $0.recoveries = [Recovery { _ in Signal<Void, NetworkError>.empty }]
      }
      kit.stub.on(.get, "/a", .status(retry ? 503 : 401), .json("[]"))
      let recorder = SignalRecorder(kit.client.outcomes(of: "/a", as: Item.self))
      await kit.clock.advance(by: .seconds(1))
      expectEqual(recorder.values.count, 1)
      expect(recorder.isCompleted)
      expectEqual(kit.stub.requests.count, 2)
      guard case .emptyList(let response)? = recorder.values.first else {
        Issue.record("\(recorder.events)")
        continue
      }
      expectEqual(response.statusCode, 200)
    }
  }

  @Test func aLostConnectionDropsNoOutcome() async {
    let kit = TestKit { $0.retry = Retry(limit: 1, backoff: .constant(.zero)) }
    kit.stub.on(.get, "/a", .json("[]"), .failure(NetworkError(.connectionLost)), .json("[]"))
    let request = Request(.get, "/a", cache: .cacheThenNetwork)
    for count in 1...2 {
      let recorder = SignalRecorder(kit.client.outcomes(of: request, as: Item.self))
      await kit.clock.advance(by: .seconds(1))
      expectEqual(recorder.values.count, count)
      expect(recorder.isCompleted)
    }
    expectEqual(kit.stub.requests.count, 3)
  }

  @Test func aStoredEmptyListIsDeliveredBeforeTheNetworkAnswers() {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .json("[]"), .failure(NetworkError(.connectionLost)), .never)
    let request = Request(.get, "/a", cache: .cacheThenNetwork)
    func outcomes() -> SignalRecorder<Outcome<Item>, NetworkError> {
      SignalRecorder(kit.client.outcomes(of: request, as: Item.self))
    }
    expect(outcomes().isCompleted)
    let failed = outcomes()
    expectEqual(failed.values.count, 1)
    expectEqual(failed.failure?.code, .connectionLost)
    let waiting = outcomes()
    expectEqual(waiting.events.count, 1)
    if case .emptyList = waiting.values.first { return }
    Issue.record("\(waiting.events)")
  }

  @Test("P1", arguments: [("/list", "emptyList"), ("/none", "noContent")])
  func anOutcomeWithoutAValueHasASourceAndFlags(_ path: String, _ name: String) async {
    let network = ManualReachability(.reachable)
    let kit = TestKit { $0.reachability = network }
    kit.stub.on(.get, "/list", .json("[]"))
    kit.stub.on(.get, "/none", .status(204))
    func outcomes(_ policy: CachePolicy) async -> [String] {
      let request = Request(.get, RequestPath(path), cache: policy)
      let recorder = SignalRecorder(kit.client.outcomes(of: request, as: Item.self))
      await kit.clock.advance()
      return recorder.values.map { outcome in
        let (name, response): (String, Response<NoContent>)
        switch outcome {
        case .emptyList(let empty): (name, response) = ("emptyList", empty)
        case .noContent(let empty): (name, response) = ("noContent", empty)
        default: return "\(outcome)"
        }
        let flags = (response.isPreliminary ? ", preliminary" : "") + (response.isUnchanged ? ", unchanged" : "")
        return "\(name): \(response.source)\(flags)"
      }
    }
    await expectEqual(outcomes(.cacheThenNetwork), ["\(name): network"])
    await kit.clock.advance(by: .seconds(9))
    let both = ["\(name): cache, 9 s old, preliminary", "\(name): network, unchanged"]
    await expectEqual(outcomes(.cacheThenNetwork), both)
    network.set(.unreachable)
    await kit.clock.advance(by: .seconds(7 * 86_400))
    await expectEqual(outcomes(.networkThenCache), ["\(name): cache, 604800 s old"])
  }

  @Test func outcomesAreCompared() throws {
    let head = HTTPResponse(statusCode: 204, url: try require(URL(string: "https://a.example/")))
    let (value, other) = (Outcome.value(Response(value: 1, head: head)), Outcome.value(Response(value: 2, head: head)))
    expect(value == value && value != other)
    let empty = Response(value: NoContent(), head: head)
    expect(Outcome<Int>.noContent(empty) == .noContent(empty))
    expect(Outcome<Int>.noContent(empty) != .notModified(empty))
  }

  @Test func anOutcomeWithoutAValueComesAfterItsResponseIsStored() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", StubAnswer.json("[]").delayed(by: .seconds(1)))
    let request = Request(.get, "/a", cache: .timeToLive(.seconds(60)))
    for _ in 1...2 {
      let recorder = SignalRecorder(kit.client.outcomes(of: request, as: Item.self).take(1))
      await kit.clock.advance(by: .seconds(1))
      expect(recorder.isCompleted)
    }
    expectEqual(kit.stub.requests.count, 1)
  }

  @Test("S3-3 P1") func theSecondEqualValueIsUnchanged() async {
    let kit = makeKit()
    kit.stub.on(.get, "/a", .json(Item(id: 1)))
    func outcomes() async -> [String] {
      let request = Request(.get, "/a", cache: .cacheThenNetwork)
      let recorder = SignalRecorder(kit.client.outcomes(of: request, as: Item.self))
      await kit.clock.advance()
      return recorder.values.map { if case .unchanged = $0 { "unchanged" } else { "value" } }
    }
    await expectEqual(outcomes(), ["value"])
    await expectEqual(outcomes(), ["value", "unchanged"])
  }
}
