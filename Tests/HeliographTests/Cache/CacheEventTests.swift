import Foundation
import Heliograph
import HeliographTesting
import Signals
import Testing

/// What a cache tells: the reasons of misses (P1), statistics, and the outcomes of requests (T8).
@Suite struct CacheEventTests {
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

  @Test func everyMissNamesItsReason() async throws {
    let kit = makeKit()
    kit.stub.on(.get, "/a", .json(Item(id: 1)))
    let size = 8
    func send(_ policy: CachePolicy) async throws -> [CacheEvent] {
      _ = try await kit.client.send(Request(.get, "/a", cache: policy), as: Item.self)
      return log.take()
    }
    let minute = CachePolicy.timeToLive(.seconds(60))
    #expect(try await send(minute) == [.miss(.absent), .stored(byteCount: size)])
    #expect(try await send(minute) == [.hit(age: .zero)])
    #expect(try await send(minute.version(2)) == [.miss(.version(stored: 0, wanted: 2)), .stored(byteCount: size)])
    #expect(try await send(.reload) == [.miss(.requested), .stored(byteCount: size)])
    await kit.clock.advance(by: .seconds(61))
    #expect(try await send(minute) == [.miss(.expired), .stored(byteCount: size)])
    account.value = "ben"
    #expect(try await send(minute) == [.miss(.otherAccount), .stored(byteCount: size)])
    let statistics = kit.client.configuration.cache.statistics.value
    #expect(statistics.hitCount == 1)
    #expect(statistics.missCount == 5)
    #expect(statistics.misses[.expired] == 1)
    #expect(statistics.storedCount == 5)
    #expect(statistics.storedByteCount == 5 * size)
  }

  @Test func anEvictionIsNamed() async throws {
    let kit = makeKit { $0.cache = ResponseCache(memoryByteCount: 40_000) }
    kit.stub.on(.get, "/*", .data(Data(count: 8_000)))
    func send(_ name: Int) async throws -> CacheEvent? {
      _ = try await kit.client.send(Request(.get, "/\(name)", cache: .timeToLive(.seconds(60))), as: Data.self)
      return log.take().first
    }
    for name in 0..<10 { #expect(try await send(name) == .miss(.absent)) }
    guard case .hit = try await send(9) else { return #expect(Bool(false)) }
    #expect(try await send(0) == .miss(.evicted))
    #expect(kit.client.configuration.cache.statistics.value.evictionCount > 4)
  }

  @Test func whatIsNotStoredIsSaidOnce() async throws {
    let kit = makeKit()
    kit.stub.on(.get, "/a", .json("{}", headers: ["Cache-Control": "no-store"]))
    for round in 0..<3 {
      _ = try await kit.client.response(for: Request(.get, "/a", cache: .http))
      let events = log.take()
      #expect(events.contains(.notStored("the response has no-store")) == (round == 0))
    }
  }

  @Test func outcomesTellApartWhatHasNoValue() async throws {
    let kit = makeKit()
    kit.stub.on(
      .get, "/a", .json("[]"), .status(204), .status(304), .json(#"[{"id": 1}, {"id": 2}]"#), .json(Item(id: 3)),
      .status(500))
    func names(_ policy: CachePolicy = .none) async -> [String] {
      let request = Request(.get, "/a", headers: ["If-None-Match": "\"x\""], cache: policy)
      let recorder = SignalRecorder(kit.client.outcomes(of: request, as: Item.self))
      await kit.clock.advance()
      return recorder.events.map { event in
        switch event {
        case .value(.value(let response)): "value \(response.value.id)"
        case .value(.unchanged(let response)): "unchanged \(response.value.id)"
        case .value(.emptyList(let head)): "empty list \(head.statusCode)"
        case .value(.noContent(let head)): "no content \(head.statusCode)"
        case .value(.notModified(let head)): "not modified \(head.statusCode)"
        case .failed(let error): "failed \(error.code)"
        case .completed: "completed"
        }
      }
    }
    #expect(await names() == ["empty list 200", "completed"])
    #expect(await names() == ["no content 204", "completed"])
    #expect(await names() == ["not modified 304", "completed"])
    #expect(await names() == ["value 1", "value 2", "completed"])
    #expect(await names() == ["value 3", "completed"])
    #expect(await names() == ["failed 500"])
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
      #expect(recorder.values.count == 1 && recorder.isCompleted && kit.stub.requests.count == 2)
      guard case .emptyList(let head)? = recorder.values.first else {
        Issue.record("\(recorder.events)")
        continue
      }
      #expect(head.statusCode == 200)
    }
  }

  @Test func aLostConnectionDropsNoOutcome() async {
    let kit = TestKit { $0.retry = Retry(limit: 1, backoff: .constant(.zero)) }
    kit.stub.on(.get, "/a", .json("[]"), .failure(NetworkError(.network, .connectionLost)), .json("[]"))
    let request = Request(.get, "/a", cache: .cacheThenNetwork)
    for count in 1...2 {
      let recorder = SignalRecorder(kit.client.outcomes(of: request, as: Item.self))
      await kit.clock.advance(by: .seconds(1))
      #expect(recorder.values.count == count && recorder.isCompleted)
    }
    #expect(kit.stub.requests.count == 3)
  }

  @Test func theSecondEqualValueIsUnchanged() async {
    let kit = makeKit()
    kit.stub.on(.get, "/a", .json(Item(id: 1)))
    func outcomes() async -> [String] {
      let request = Request(.get, "/a", cache: .cacheThenNetwork)
      let recorder = SignalRecorder(kit.client.outcomes(of: request, as: Item.self))
      await kit.clock.advance()
      return recorder.values.map { if case .unchanged = $0 { "unchanged" } else { "value" } }
    }
    #expect(await outcomes() == ["value"])
    #expect(await outcomes() == ["value", "unchanged"])
  }
}
