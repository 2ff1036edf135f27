import Foundation
import Heliograph
import HeliographTesting
import Testing

/// The policies of an app: S1-18, S1-19, S3-1 to S3-7, S3-11, T15.
@Suite struct CachePolicyTests {
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

  @Test func nothingIsCachedByDefault() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a") { _ in .json(Item(id: kit.stub.requests.count), headers: ["Cache-Control": "max-age=60"]) }
    let request = Request(.get, "/a")
    #expect(await run(kit, request).values == [1])
    #expect(await run(kit, request).values == [2])
  }

  @Test func aTimeToLiveIsExact() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .json(Item(id: 2)))
    let request = Request(.get, "/a", cache: .timeToLive(.seconds(3)))
    #expect(await run(kit, request).sources == [.network])
    await kit.clock.advance(by: .milliseconds(2_900))
    let hit = await run(kit, request)
    #expect(hit.values == [1])
    guard case .cache(let age) = hit.sources.first else { return #expect(Bool(false), "\(hit)") }
    #expect(age > .milliseconds(2_899) && age < .milliseconds(2_901))
    await kit.clock.advance(by: .milliseconds(200))
    #expect(await run(kit, request).values == [2])
    #expect(kit.stub.requests.count == 2)
    #expect(hit.sources.map(\.isCached) == [true])
    let others = [ResponseSource.network, .revalidated, .shared]
    #expect(others.map(\.isCached) == [false, false, false])
  }

  @Test func anotherVersionIsAMiss() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .json(Item(id: 2)), .json(Item(id: 3)))
    func request(_ version: Int) -> Request { Request(.get, "/a", cache: .timeToLive(.seconds(60), version: version)) }
    #expect(await run(kit, request(1)).values == [1])
    #expect(await run(kit, request(1)).values == [1])
    #expect(await run(kit, request(2)).values == [2])
    #expect(await run(kit, request(1)).values == [3])
  }

  @Test func cacheThenNetworkDeliversTwice() async {
    let kit = TestKit()
    kit.stub.on(.get, "/a", .json(Item(id: 1)), .json(Item(id: 2)), .json(Item(id: 2)), .status(500))
    let request = Request(.get, "/a", cache: .cacheThenNetwork)
    #expect(await run(kit, request).values == [1])
    let second = await run(kit, request)
    #expect(second.values == [1, 2])
    #expect(second.sources == [.cache(age: .zero), .network])
    let recorder = SignalRecorder(kit.client.enqueue(request: request, resultType: Item.self))
    await kit.clock.advance()
    #expect(recorder.values.map(\.isUnchanged) == [false, true])
    let fourth = await run(kit, request)
    #expect(fourth.values == [2])
    #expect(fourth.error?.code == 500)
  }
}
