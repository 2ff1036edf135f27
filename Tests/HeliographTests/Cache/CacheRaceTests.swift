import Foundation
import Heliograph
import HeliographTesting
import Signals
import Testing

/// The cache together with retries, signers, removals and unsafe requests in flight.
@Suite struct CacheRaceTests {
  struct Item: Codable, Sendable, Equatable { var id: Int }

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
    #expect(recorder.values.map(\.value.id) == [2])
    #expect(kit.stub.requests.count == 2)
  }

  @Test func aRefreshedTokenIsTriedAtTheServer() async {
    let kit = TestKit { $0.recoveries = [Recovery(statuses: [401]) { _ in }] }
    kit.stub.on(.get, "/a", .status(401, headers: hour), .json(Item(id: 2)))
    let recorder = await record(kit, Request(.get, "/a", cache: .http))
    // The refresh is a task, for which a turn of the clock may be too short.
    await recorder.waitForEnd()
    #expect(recorder.values.map(\.value.id) == [2])
  }

  @Test func aMissingResourceIsRememberedUnderTheRulesOfHTTP() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .status(404, headers: hour))
    for _ in 0..<3 { #expect(await record(kit, Request(.get, "/a", cache: .http)).failure?.code == 404) }
    #expect(kit.stub.requests.count == 1)
  }

  @Test func aStoredFailureIsNothingForThePoliciesOfAnApp() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .status(404, headers: hour), .json(Item(id: 2)))
    _ = await record(kit, Request(.get, "/a", cache: .http))
    #expect(await record(kit, Request(.get, "/a", cache: .onlyIfCached)).failure?.code == .notCached)
    let recorder = await record(kit, Request(.get, "/a", cache: .timeToLive(.seconds(60))))
    #expect(recorder.values.map(\.value.id) == [2])
  }

  @Test func aRejectedResponseLeavesTheStoredOne() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .json("{}", headers: ["Vary": "Accept"]))
    _ = await record(kit, Request(.get, "/a", cache: .reload))
    #expect(await record(kit, Request(.get, "/a", cache: .reload)).failure?.domain == .processing)
    #expect(await record(kit, Request(.get, "/a", cache: .onlyIfCached)).values.map(\.value.id) == [1])
  }

  @Test func anUnchangedValueIsMarkedAfterARetry() async {
    let kit = TestKit { $0.retry = Retry(limit: 2, backoff: .none) }
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .status(503), .json(Item(id: 1)))
    let request = Request(.get, "/a", cache: .cacheThenNetwork)
    _ = await record(kit, request)
    #expect(await record(kit, request).values.map(\.isUnchanged) == [false, true])
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
    for _ in 0..<3 { #expect(await record(kit, request).values.count == 1) }
    #expect(kit.stub.requests.count == 1)
  }

  @Test func aRemovalOutlivesARequestInFlight() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", StubAnswer.json(Item(id: 1)).delayed(by: .seconds(5)), .json(Item(id: 2)))
    let request = Request(.get, "/a", cache: .timeToLive(.seconds(60)))
    let first = await record(kit, request)
    kit.client.configuration.cache.removeAll()
    await kit.clock.advance(by: .seconds(10))
    #expect(first.values.map(\.value.id) == [1])
    #expect(await record(kit, request).values.map(\.value.id) == [2])
  }

  @Test func aChangeInvalidatesAResponseInFlight() async throws {
    let kit = TestKit()
    kit.stub.on(
      .get, "/a", StubAnswer.json(Item(id: 1), headers: hour).delayed(by: .seconds(5)),
      .json(Item(id: 2), headers: hour))
    kit.stub.on(.post, "/a", .status(204))
    let request = Request(.get, "/a", cache: .http)
    let first = await record(kit, request)
    _ = try await kit.client.response(for: Request(.post, "/a"))
    await kit.clock.advance(by: .seconds(10))
    #expect(first.values.map(\.value.id) == [1])
    #expect(await record(kit, request).values.map(\.source) == [.network])
    #expect(await record(kit, request).values.map(\.value.id) == [2])
    #expect(kit.stub.requests.count == 3)
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
    #expect(await record(kit, request).values.map(\.value.id) == [1])
    #expect(kit.stub.requests.count == 2)
    #expect(await record(kit, request).values.map(\.value.id) == [3])
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
    for _ in 0..<2 { #expect(await record(kit, request).values.map(\.value.id) == [1]) }
    // One refresh for both.
    #expect(kit.stub.requests.count == 2)
    await kit.clock.advance(by: .seconds(2))
    #expect(await record(kit, request).values.map(\.value.id) == [2])
  }
}
