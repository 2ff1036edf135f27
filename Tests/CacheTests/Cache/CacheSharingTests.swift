import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// The storing of a response that several requests share.
struct CacheSharingTests {
  private let folder = StoreFolder()

  private func body(_ number: UInt8, _ size: Int) -> Data { Data(repeating: number, count: size) }

  private func record(_ kit: TestKit, _ policy: CachePolicy) -> SignalRecorder<Response<Data>, NetworkError> {
    let request = Request(.get, "/a", cache: policy, options: .with { $0.isCoalesced = true })
    return SignalRecorder(kit.client.exchange(request: request))
  }

  private func stored(_ kit: TestKit) async -> Data? {
    let recorder = record(kit, .onlyIfCached)
    await kit.clock.advance()
    return recorder.values.first?.value
  }

  @Test(arguments: [0, 1, 2]) func aResponseOfASharedExchangeIsStoredWhoeverLeaves(_ leaving: Int) async throws {
    let cache = try ResponseCache(folder: folder.url)
    let kit = TestKit { $0.cache = cache }
    kit.stub.on(.get, "/a", StubAnswer.data(body(1, 10_000)).delayed(by: .seconds(2)))
    let recorders = (0..<2).map { _ in record(kit, .reload) }
    await kit.clock.advance(by: .seconds(1))
    if leaving < 2 { recorders[leaving].dispose() }
    await kit.clock.advance(by: .seconds(1))
    expectEqual(recorders.map(\.values.count), (0..<2).map { $0 == leaving ? 0 : 1 })
    await expectEqual(stored(kit), body(1, 10_000))
    // Once, for both.
    expectEqual(cache.statistics.value.storedCount, 1)
    expectEqual(kit.stub.requests.count, 1)
  }

  /// The age of a response counts from the start of its exchange, which only requests with a cache record.
  @Test(arguments: [nil, RedirectPolicy.follow], [true, false])
  func onlyRequestsWithACacheShareTheirExchanges(_ redirects: RedirectPolicy?, _ hasRange: Bool) async {
    let kit = TestKit()
    let request: HTTPHeaders = hasRange ? ["Range": "bytes=0-"] : [:]
    func record(_ policy: CachePolicy) -> SignalRecorder<Response<Data>, NetworkError> {
      let options = RequestOptions.with { ($0.isCoalesced, $0.redirects) = (true, redirects) }
      return SignalRecorder(
        kit.client.exchange(request: Request(.get, "/a", headers: request, cache: policy, options: options)))
    }
    let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "Content-Range": "bytes 0-9/10"]
    kit.stub.on(
      .get, "/a",
      StubAnswer([.head(status: hasRange ? 206 : 200, headers: headers), .delay(.seconds(1)), .body(body(1, 10))]))
    // Only the rules of HTTP cover ranges.
    let recorders = [hasRange ? .reload : .none, .http, .http].map(record)
    await kit.clock.advance(by: .seconds(1))
    expectEqual(recorders.map(\.values.first?.source), [.network, .network, .shared])
    let hit = record(.http)
    await kit.clock.advance()
    expectEqual(hit.values.map(\.value), [body(1, 10)])
    expectEqual(kit.stub.requests.count, 2)
  }

  /// A long body is written to disk as it arrives; without a folder it is not stored, and neither is an older one left.
  @Test(arguments: [0, 1, 2], [1, 3]) func aLongResponseOfASharedExchangeIsStoredWhoeverLeaves(
    _ leaving: Int, _ pieceCount: Int
  ) async throws {
    for cache in [try ResponseCache(folder: folder.url), ResponseCache(memoryByteCount: 1_000_000)] {
      let transport = HandTransport()
      let kit = TestKit { ($0.cache, $0.transport) = (cache, transport) }
      let first = record(kit, .reload)
      transport.answer(0, "old")
      expectEqual(first.values.count, 1)
      await expectEqual(stored(kit), Data("old".utf8))
      let recorders = (0..<2).map { _ in record(kit, .reload) }
      transport.head(1)
      let pieces = (1...4).map { body($0, 90_000) }
      for (number, piece) in pieces.enumerated() {
        if number == pieceCount, leaving < 2 { recorders[leaving].dispose() }
        transport.exchange(1).send(.body(piece))
      }
      transport.exchange(1).complete()
      expectEqual(recorders.map(\.values.count), (0..<2).map { $0 == leaving ? 0 : 1 })
      await expectEqual(stored(kit), cache.disk == nil ? nil : Data(pieces.joined()))
      // Once, for both.
      expectEqual(cache.statistics.value.storedCount, cache.disk == nil ? 1 : 2)
    }
  }

  /// The first request that receives the 304 updates the entry on disk and in memory, where the others leave it.
  @Test func aShared304LeavesTheUpdatedResponseInMemory() async throws {
    let cache = try ResponseCache(folder: folder.url)
    let kit = TestKit { $0.cache = cache }
    let headers: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "no-cache"]
    let confirmation = StubAnswer.status(304, headers: headers).delayed(by: .seconds(1))
    kit.stub.on(.get, "/a", .data(body(1, 10), headers: headers), confirmation)
    _ = record(kit, .http)
    await kit.clock.advance()
    let recorders = (0..<3).map { _ in record(kit, .http) }
    await kit.clock.advance(by: .seconds(1))
    expectEqual(recorders.map(\.values.first?.source), [.revalidated, .revalidated, .revalidated])
    expectEqual([kit.stub.requests.count, cache.memory.count], [2, 1])
    for file in folder.files { try FileManager.default.removeItem(atPath: file) }
    await expectEqual(stored(kit), body(1, 10))
  }

  @Test func requestsThatShareAFileWriteEachPieceOnce() throws {
    let store = try folder.store()
    let pieces = (0..<100).map { Data.pattern($0 * 7, seed: UInt64($0 + 1)) }
    let file = try require(store.writer(for: .number(1), head: Data()))
    expect(file.append(Array(pieces[..<20]), at: 0))
    expect(file.append(Array(pieces[..<20]), at: 0))
    var offset = pieces[..<20].reduce(0) { $0 + $1.count }
    for piece in pieces[20...] {
      for _ in 0..<3 { expect(file.append([piece], at: offset)) }
      offset += piece.count
    }
    expect(file.commit())
    expectEqual(store.body(.number(1)), Data(pieces.joined()))
  }

  @Test func aFileThatFailsOnceIsNotStored() throws {
    let store = try folder.store(capacity: 400_000)
    let file = try require(store.writer(for: .number(1), head: Data()))
    expect(file.append([body(1, 100_000)], at: 0))
    expect(!file.append([body(2, 200_000)], at: 100_000))
    expect(!file.append([body(2, 200_000), body(3, 1)], at: 100_000))
    expect(!file.commit())
    expectEqual(folder.files + folder.temporaries, [])
  }

  /// Others may wait for the exchange much longer.
  @Test func theFileIsRemovedWithTheLastRequestThatRecordsIt() throws {
    let store = try folder.store()
    let storage = SharedStorage()
    func shared() -> DiskWriter? { storage.file { store.writer(for: .number(1), head: Data()) } }
    var files = try (0..<2).map { _ in try require(shared()) }
    expect(files[0] === files[1])
    expect(files[0].append([body(1, 10)], at: 0))
    expectEqual(folder.temporaries.count, 1)
    files = []
    expectEqual(folder.temporaries, [])
    expect(shared() != nil)
  }
}
