import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

/// The policies of an app: S1-18, S1-19, S3-1 to S3-7, S3-11, T15.
struct CachePolicyTests {
  private struct Item: Codable, Sendable, Equatable { var id: Int }

  /// Sends a request and returns the values, their sources and the error.
  private func run(_ kit: TestKit, _ request: Request) async -> (
    values: [Int], sources: [ResponseSource], error: NetworkError?
  ) {
    let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: Item.self))
    await kit.clock.advance()
    return (recorder.values.map(\.value.id), recorder.values.map(\.source), recorder.failure)
  }

  private func items(_ ids: Int...) -> [StubAnswer] { ids.map { .json(Item(id: $0)) } }

  @Test("S3-1") func nothingIsCachedByDefault() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a") { _ in .json(Item(id: kit.stub.requests.count), headers: ["Cache-Control": "max-age=60"]) }
    let request = Request(.get, "/a")
    await expectEqual(run(kit, request).values, [1])
    await expectEqual(run(kit, request).values, [2])
  }

  @Test("S1-14 S1-18 S3-1 S3-2 P10") func aTimeToLiveIsExact() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .json(Item(id: 2)))
    let request = Request(.get, "/a", cache: .timeToLive(.seconds(3)))
    await expectEqual(run(kit, request).sources, [.network])
    await kit.clock.advance(by: .milliseconds(2_900))
    let hit = await run(kit, request)
    expectEqual(hit.values, [1])
    guard case .cache(let age) = hit.sources.first else { return expect(Bool(false), "\(hit)") }
    expect(age > .milliseconds(2_899))
    expect(age < .milliseconds(2_901))
    await kit.clock.advance(by: .milliseconds(200))
    await expectEqual(run(kit, request).values, [2])
    expectEqual(kit.stub.requests.count, 2)
    expectEqual(hit.sources.map(\.isCached), [true])
    let others = [ResponseSource.network, .revalidated, .shared]
    expectEqual(others.map(\.isCached), [false, false, false])
  }

  @Test("S1-14 S1-19") func anotherVersionIsAMiss() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .json(Item(id: 2)), .json(Item(id: 3)))
    func request(_ version: Int) -> Request { Request(.get, "/a", cache: .timeToLive(.seconds(60), version: version)) }
    await expectEqual(run(kit, request(1)).values, [1])
    await expectEqual(run(kit, request(1)).values, [1])
    await expectEqual(run(kit, request(2)).values, [2])
    await expectEqual(run(kit, request(1)).values, [3])
  }

  @Test("S1-14 S1-19") func theVersionOfARequestAppliesToAnInheritedPolicy() async {
    let kit = TestKit { $0.cachePolicy = .timeToLive(.seconds(60)) }
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .json(Item(id: 2)), .json(Item(id: 3)))
    func request(_ version: Int) -> Request { Request(.get, "/a", cache: .default.version(version)) }
    await expectEqual(run(kit, request(0)).values, [1])
    await expectEqual(run(kit, request(2)).values, [2])
    await expectEqual(run(kit, request(2)).values, [2])
    await expectEqual(run(kit, request(0)).values, [3])
    expectEqual(CachePolicy.default.version(2).or(CachePolicy.http.version(1)), CachePolicy.http.version(2))
    expectEqual(CachePolicy.default.or(CachePolicy.http.version(1)), CachePolicy.http.version(1))
  }

  @Test("S1-14 S3-3 P1") func cacheThenNetworkDeliversTwice() async {
    let kit = TestKit()
    kit.stub.on(
      .get, "/a", .json(Item(id: 1)), .json(Item(id: 2)), .json(Item(id: 2)), .json(Item(id: 3)), .status(500))
    let request = Request(.get, "/a", cache: .cacheThenNetwork)
    await expectEqual(run(kit, request).values, [1])
    let second = await run(kit, request)
    expectEqual(second.values, [1, 2])
    expectEqual(second.sources, [.cache(age: .zero), .network])
    for isUnchanged in [true, false] {
      let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: Item.self))
      await kit.clock.advance()
      expectEqual(recorder.values.map(\.isUnchanged), [false, isUnchanged])
      expectEqual(recorder.values.map(\.isPreliminary), [true, false])
    }
    let last = await run(kit, request)
    expectEqual(last.values, [3])
    expectEqual(last.error?.code, .status(500))
  }

  /// The age is unknown after the clock was set back.
  @Test func aResponseFromTheFutureIsValidated() async {
    let now = CurrentValue(Date())
    let kit = TestKit { $0.cache = ResponseCache { now.value } }
    kit.stub.on(.get, "/a") { _ in .json(Item(id: kit.stub.requests.count), headers: ["Cache-Control": "max-age=60"]) }
    let request = Request(.get, "/a", cache: .http)
    await expectEqual(run(kit, request).values, [1])
    now.modify { $0 -= 1 }
    await expectEqual(run(kit, request).values, [1])
    now.modify { $0 -= 86_400 }
    await expectEqual(run(kit, request).values, [2])
    await expectEqual(run(kit, request).values, [2])
  }

  /// The app's own policy may use the response any longer, but not the rules of HTTP.
  @Test(arguments: [("Cache-Control", "no-store, max-age=60"), ("Vary", "*"), ("Vary", "Accept-Language")])
  func aResponseThatIsConfirmedForThePolicyOfAnAppMayBeForbiddenByHTTP(_ name: String, _ value: String) async {
    let kit = TestKit()
    var headers: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
    let first = StubAnswer.json(Item(id: 1), headers: headers)
    headers[name] = value
    kit.stub.on(.get, "/a", first, .status(304, headers: headers), .json(Item(id: 2)))
    for (policy, source) in [
      (.http, .network), (.networkThenCache, .revalidated), (.onlyIfCached, .cache(age: .zero)), (.http, .network),
    ] as [(CachePolicy, ResponseSource)] {
      await expectEqual(run(kit, Request(.get, "/a", cache: policy)).sources, [source])
    }
  }

  @Test func aConfirmationWithMustUnderstandOverridesItsNoStore() async {
    let kit = TestKit()
    let headers: HTTPHeaders = ["Cache-Control": "must-understand, no-store, max-age=60", "ETag": "\"1\""]
    kit.stub.on(.get, "/a", .json(Item(id: 1), headers: headers), .status(304, headers: headers))
    for (policy, source) in [
      (.http, .network), (.networkThenCache, .revalidated), (.http, .cache(age: .zero)),
    ] as [(CachePolicy, ResponseSource)] {
      await expectEqual(run(kit, Request(.get, "/a", cache: policy)).sources, [source])
    }
  }

  @Test(arguments: [StubAnswer.status(503), .failure(NetworkError(.connectionLost))])
  func whatWasRemovedMeanwhileIsNotDeliveredAfterAFailure(_ answer: StubAnswer) async throws {
    for (isChanged, vary) in [(true, nil), (false, nil), (true, "Accept-Language")] as [(Bool, String?)] {
      let kit = TestKit()
      var headers: HTTPHeaders = ["Cache-Control": "max-age=0, stale-if-error=600"]
      headers["Vary"] = vary
      let stored = StubAnswer.json(Item(id: 1), headers: headers)
      kit.stub.on(.get, "/a", stored, answer.delayed(by: .seconds(1)))
      kit.stub.on(.post, "/a", .status(204))
      let request = Request(.get, "/a", cache: .http)
      await expectEqual(run(kit, request).values, [1])
      let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: Item.self))
      if isChanged {
        _ = try await kit.client.send(Request(.post, "/a"))
      } else {
        kit.client.configuration.cache.removeAll()
      }
      await kit.clock.advance(by: .seconds(1))
      expectEqual(recorder.values.map(\.value.id), [])
      expect(recorder.failure != nil)
    }
  }

  /// Redirects of the failed request ended at the URL that is changed meanwhile.
  @Test(arguments: [StubAnswer.status(503), .failure(NetworkError(.connectionLost))])
  func whatRedirectsLedToIsNotDeliveredAfterItsChange(_ answer: StubAnswer) async throws {
    let kit = TestKit { $0.retry = .never }
    let headers: HTTPHeaders = ["Cache-Control": "max-age=60, stale-if-error=600"]
    kit.stub.on(
      .get, "/a", .status(301, headers: ["Location": "/b", "Cache-Control": "max-age=600"]),
      answer.delayed(by: .seconds(1)), answer)
    kit.stub.on(.get, "/b", .json(Item(id: 1), headers: headers))
    kit.stub.on(.patch, "/b", .status(204))
    let request = Request(.get, "/a", cache: .http)
    await expectEqual(run(kit, request).values, [1])
    await kit.clock.advance(by: .seconds(61))
    let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: Item.self))
    _ = try await kit.client.send(Request(.patch, "/b"))
    await kit.clock.advance(by: .seconds(1))
    expectEqual(recorder.values.map(\.value.id), [])
    expect(recorder.failure != nil)
  }

  /// It does not invalidate its own response.
  @Test(arguments: [303, 307]) func theResponseToARedirectedUnsafeRequestIsFound(_ status: Int) async {
    let kit = TestKit()
    kit.stub.on(.post, "/a", .status(status, headers: ["Location": "/b"]))
    kit.stub.on("*", "/b", .json(Item(id: 1)))
    let request = Request(.post, "/a", cache: .timeToLive(.seconds(600)))
    for source in [ResponseSource.network, .cache(age: .zero)] {
      await expectEqual(run(kit, request).sources, [source])
    }
    expectEqual(kit.stub.requests.count, 2)
  }

  @Test(arguments: [nil, "Accept-Language"])
  func theRemovalOfOthersLeavesWhatIsDeliveredAfterAFailure(_ vary: String?) async throws {
    let kit = TestKit()
    var headers: HTTPHeaders = ["Cache-Control": "max-age=0, stale-if-error=600"]
    headers["Vary"] = vary
    let stored = StubAnswer.json(Item(id: 1), headers: headers)
    kit.stub.on(.get, "/a", stored, StubAnswer.status(503).delayed(by: .seconds(1)))
    let request = Request(.get, "/a", cache: .http)
    await expectEqual(run(kit, request).values, [1])
    let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: Item.self))
    try kit.client.removeCachedResponses(of: "/b")
    await kit.clock.advance(by: .seconds(1))
    expectEqual(recorder.values.map(\.value.id), [1])
  }
}
