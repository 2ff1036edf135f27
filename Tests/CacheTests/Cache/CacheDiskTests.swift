import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// Responses on disk: S3-5, and what survives a restart.
final class CacheDiskTests: Sendable {
  private let clock = Guarded(Date(timeIntervalSince1970: 1_800_000_000))
  private let folder = FileManager.default.temporaryDirectory.appending(path: "cache-\(UUID().uuidString)")

  private func makeCache(_ byteCount: Int = 10_000_000, memory: Int = 0) throws -> ResponseCache {
    try ResponseCache(
      folder: folder, diskByteCount: byteCount, reservedByteCount: 0, memoryByteCount: memory,
      now: { [self] in clock.withLock { $0 } })
  }

  private func makeClient(_ cache: ResponseCache, _ stub: StubTransport) -> NetworkClient {
    NetworkClient(baseURL: URL(string: "https://api.example.com")) {
      $0.transport = stub
      $0.cache = cache
      $0.processing = .immediate
    }
  }

  private func makeStub(_ size: Int = 3_000) -> StubTransport {
    let stub = StubTransport()
    stub.on(.get, "/*") { request in
      .data(Data(repeating: UInt8(request.url.path.utf8.count), count: size), headers: ["ETag": "\"1\""])
    }
    return stub
  }

  private let forever = CachePolicy.timeToLive(.seconds(1_000_000))

  private func source(_ client: NetworkClient, _ path: RequestPath, _ policy: CachePolicy? = nil) async throws
    -> ResponseSource
  {
    try await client.send(Request(.get, path, cache: policy ?? forever), as: Data.self).source
  }

  @Test("S3-2 S3-5") func responsesSurviveARestart() async throws {
    let stub = makeStub()
    try await expectEqual(source(makeClient(try makeCache(), stub), "/a"), .network)
    clock.withLock { $0 += 10 }
    let response = try await makeClient(try makeCache(), stub).send(
      Request(.get, "/a", cache: forever), as: Data.self)
    expectEqual(response.source, .cache(age: .seconds(10)))
    expectEqual(response.value, Data(repeating: 2, count: 3_000))
    expectEqual(response.etag, "\"1\"")
    expectEqual(response.url.absoluteString, "https://api.example.com/a")
    expectEqual(stub.requests.count, 1)
  }

  /// Nothing is removed, so the folder of temporary files is not read, either.
  @Test func aFailedUnsafeRequestInvalidatesNothing() async throws {
    let (cache, stub) = (try makeCache(), makeStub())
    stub.on(.post, "/a", .status(409), .json("1"))
    let client = makeClient(cache, stub)
    _ = try await source(client, "/a")
    for isEmpty in [true, false] {
      _ = try? await client.send(Request(.post, "/a"), as: Data.self)
      expectEqual(cache.invalidations.withLock { $0.slots.isEmpty }, isEmpty)
      expectEqual(try await source(client, "/a") == .network, !isEmpty)
    }
  }

  @Test(arguments: [0, 1, 65_536, 300_000, 3_000_000], [0, 1_000_000])
  func bodiesOfAnySize(_ size: Int, _ memory: Int) async throws {
    let stub = makeStub(size)
    let client = makeClient(try makeCache(memory: memory), stub)
    for expected in [ResponseSource.network, .cache(age: .zero), .cache(age: .zero)] {
      let response = try await client.send(Request(.get, "/a", cache: forever), as: Data.self)
      expectEqual(response.source, expected)
      expectEqual(response.value, Data(repeating: 2, count: size))
    }
  }

  /// The paths of the entries' files.
  private func files() throws -> [String] {
    try require(FileManager.default.subpaths(atPath: folder.path)).filter { $0.count > 60 }
      .map { folder.appending(path: $0).path }
  }

  /// Makes all entries used long ago.
  private func age() throws {
    for path in try files() {
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
    }
  }

  @Test("S3-5") func theLeastRecentlyUsedIsEvicted() async throws {
    let stub = makeStub()
    let cache = try makeCache(12_000)
    let client = makeClient(cache, stub)
    _ = try await source(client, "/1")
    _ = try await source(client, "/2")
    try age()
    // A read refreshes the recency, but not the time to live.
    clock.withLock { $0 += 5 }
    try await expectEqual(source(client, "/1"), .cache(age: .seconds(5)))
    _ = try await source(client, "/3")
    cache.disk?.waitForReclaim()
    try await expectEqual(source(client, "/1"), .cache(age: .seconds(5)))
    try await expectEqual(source(client, "/2"), .network)
    cache.disk?.waitForReclaim()
    try expect(files().count <= 2)
  }

  /// What is read most is in memory, and must not be the first to leave the disk.
  @Test func aHitInMemoryIsAUseOfTheFile() async throws {
    let cache = try makeCache(memory: 1_000_000)
    let client = makeClient(cache, makeStub())
    let disk = try require(cache.disk)
    for path in ["/1", "/2"] { _ = try await source(client, RequestPath(path)) }
    disk.waitForReclaim()
    let paths = try files()
    func uses() -> Int { paths.filter { FileStatus(path: $0)?.modifiedAt != 1_000_000_000 }.count }
    try age()
    try await expectEqual(source(client, "/1"), .cache(age: .zero))
    disk.waitForReclaim()
    expectEqual(uses(), 1)
    // Once a minute.
    try age()
    try await expectEqual(source(client, "/1"), .cache(age: .zero))
    disk.waitForReclaim()
    expectEqual(uses(), 0)
  }

  @Test("S1-18 S3-5") func anExpiredResponseIsNotReadThoughItIsThere() async throws {
    let client = makeClient(try makeCache(), makeStub())
    let policy = CachePolicy.timeToLive(.seconds(3))
    _ = try await source(client, "/a", policy)
    clock.withLock { $0 += 2.9 }
    try await expect(source(client, "/a", policy) != .network)
    clock.withLock { $0 += 0.2 }
    try await expectEqual(source(client, "/a", policy), .network)
    // The clock was set back.
    clock.withLock { $0 -= 1 }
    try await expectEqual(source(client, "/a", policy), .network)
  }

  /// A small body is verified when its file is opened, a large one before it is delivered.
  @Test("S3-5", arguments: [3_000, 200_000]) func aDamagedFileIsAMissAndIsRemoved(_ size: Int) async throws {
    let stub = makeStub(size)
    let cache = try makeCache()
    let client = makeClient(cache, stub)
    _ = try await source(client, "/a")
    let file = URL(filePath: try require(files().first))
    var data = try Data(contentsOf: file)
    data[data.count - size / 4] ^= 1
    try data.write(to: file)
    // Nothing is received that would replace the file.
    let error = await #expect(throws: NetworkError.self) { try await source(client, "/a", .onlyIfCached) }
    expectEqual(error?.code, .notCached)
    expectEqual(cache.statistics.value.misses[.corrupt], 1)
    try expectEqual(files(), [])
    try await expectEqual(source(client, "/a"), .network)
    try await expectEqual(source(client, "/a"), .cache(age: .zero))
    expectEqual(stub.requests.count, 2)
  }

  @Test("P1") func aRevalidatedResponseKeepsItsBody() async throws {
    for size in [1_000, 2_000_000] {
      let stub = StubTransport()
      stub.on(
        .get, "/a", .data(Data(repeating: 7, count: size), headers: ["ETag": "\"1\"", "Cache-Control": "max-age=1"]),
        .status(304, headers: ["ETag": "\"1\"", "X-New": "yes", "Cache-Control": "max-age=100"]))
      let client = makeClient(try makeCache(), stub)
      _ = try await source(client, "/a", .http)
      clock.withLock { $0 += 2 }
      let response = try await client.send(Request(.get, "/a", cache: .http), as: Data.self)
      expectEqual(response.source, .revalidated)
      expectEqual(response.value, Data(repeating: 7, count: size))
      expectEqual(response.headers["X-New"], "yes")
      expectEqual(client.configuration.cache.statistics.value.revalidationCount, 1)
      clock.withLock { $0 += 50 }
      try await expectEqual(source(client, "/a", .http), .cache(age: .seconds(50)))
      expectEqual(stub.requests.last?.headers["If-None-Match"], "\"1\"")
      client.configuration.cache.removeAll()
    }
  }

  /// What is stored is older than the response, which has been delivered.
  @Test func aLongResponseWhoseFileIsLostReplacesTheStoredOneByNone() async throws {
    let cache = try makeCache()
    let kit = TestKit { $0.cache = cache }
    let half = Data(count: 300_000)
    let slow = StubAnswer([.head(status: 200), .body(half), .delay(.seconds(2)), .body(half)])
    kit.stub.on(.get, "/a", .data(half), slow)
    for expected in [300_000, 600_000] {
      let recorder = SignalRecorder(kit.client.exchange(request: Request(.get, "/a", cache: .reload)))
      await kit.clock.advance(by: .seconds(1))
      let temporaries = try require(FileManager.default.subpaths(atPath: folder.path)).filter {
        $0.contains("temporary/")
      }
      expectEqual(temporaries.count, recorder.isCompleted ? 0 : 1)
      for name in temporaries { try FileManager.default.removeItem(at: folder.appending(path: name)) }
      await kit.clock.advance(by: .seconds(2))
      expectEqual(recorder.values.first?.value.count, expected)
      expectEqual(cache.statistics.value.storedCount, 1)
    }
    try expectEqual(files(), [])
  }

  /// A range of more than 256 KiB is not stored, and neither replaces nor removes another part of its representation.
  @Test(arguments: [nil, "bytes=0-999"]) func aLongRangeLeavesTheStoredResponse(_ first: String?) async throws {
    let stub = StubTransport()
    let headers: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": first == nil ? "no-cache" : "max-age=60"]
    stub.on(.get, "/a") { request in
      let range = request.headers["Range"].flatMap { ByteRange($0)?.resolved(length: 1_000_000) }
      var headers = headers
      headers["Content-Range"] = range.map { "bytes \($0.lowerBound)-\($0.upperBound - 1)/1000000" }
      let body = Data(repeating: 7, count: range?.count ?? 1_000_000)
      return StubAnswer([.head(status: range == nil ? 200 : 206, headers: headers), .body(body)])
    }
    let client = makeClient(try makeCache(memory: 1_000_000), stub)
    func response(_ range: String?, _ policy: CachePolicy) async throws -> Response<Data>? {
      let headers = range.map { HTTPHeaders([HTTPHeaders.Field(name: "Range", value: $0)]) } ?? [:]
      return try await client.exchange(request: Request(.get, "/a", headers: headers, cache: policy)).first()
    }
    _ = try await response(first, .http)
    try await expectEqual(response("bytes=1000-500999", .http)?.value.count, 500_000)
    let stored = try await response(first, first == nil ? .onlyIfCached : .http)
    expectEqual(stored?.source, .cache(age: .zero))
    expectEqual(stored?.value.count, first == nil ? 1_000_000 : 1_000)
  }

  /// Redirects ended at the changed URL.
  @Test(arguments: [0, 1_000_000]) func whatARedirectedLookupHasRefusedIsRemoved(_ memory: Int) async throws {
    let (stub, headers) = (StubTransport(), ["Cache-Control": "max-age=600"] as HTTPHeaders)
    stub.on(
      .get, "/latest", .status(301, headers: ["Location": "/7", "Cache-Control": "max-age=600"]),
      .failure(NetworkError(.connectionLost)))
    stub.on(.get, "/7", .text("old", headers: headers))
    stub.on(.patch, "/7", .status(204))
    let client = makeClient(try makeCache(memory: memory), stub)
    try await expectEqual(source(client, "/latest", .http), .network)
    _ = try await client.send(Request(.patch, "/7"))
    await #expect(throws: NetworkError.self) { try await source(client, "/latest", .http) }
    let next = makeClient(try makeCache(), stub)
    await #expect(throws: NetworkError.self) { try await source(next, "/latest", .onlyIfCached) }
    try expectEqual(files(), [])
  }

  @Test(arguments: [0, 1, 2, 3]) func nothingIsRetainedAfterwards(_ step: Int) async throws {
    weak var cache: ResponseCache?
    do {
      let own = try ResponseCache(folder: folder)
      cache = own
      let client = makeClient(own, makeStub())
      switch step {
      case 0: break
      case 1: for _ in 0..<3 { _ = try await source(client, "/a") }
      case 2: client.exchange(request: Request(.get, "/b", cache: .http)).subscribe { _ in }.dispose()
      default: _ = try await source(client, "/c", .cacheThenNetwork)
      }
      own.disk?.waitForReclaim()
    }
    // The thread that delivered may still be returning.
    await until { cache == nil }
    expectNil(cache)
  }

  @Test func aResponseThatIsOnlyInMemoryIsWrittenOnceThereIsSpace() async throws {
    let folder = StoreFolder()
    let space = Guarded(Int64(0))
    let disk = try folder.store { space.withLock { $0 } }
    let (cache, stub) = (ResponseCache(1_000_000, disk, CacheCounters()) { Date() }, StubTransport())
    let headers: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "no-cache"]
    stub.on(.get, "/a", .text("x", headers: headers), .status(304, headers: headers))
    let client = makeClient(cache, stub)
    for (source, byteCount, count) in [
      (ResponseSource.network, 0, 0), (.revalidated, 0, 0), (.revalidated, .max, 1), (.revalidated, .max, 1),
    ] as [(ResponseSource, Int64, Int)] {
      space.withLock { $0 = byteCount }
      try await expectEqual(self.source(client, "/a", .http), source)
      expectEqual(folder.files.count, count)
    }
  }

  @Test func anUnusableFolderIsAnError() {
    let error = #expect(throws: NetworkError.self) { try ResponseCache(folder: URL(filePath: "/dev/null/cache")) }
    expectEqual(error?.code, .invalidTransport)
  }

  /// Credentials select a response, and so do header fields that `Vary` names; both are stored as hashes.
  @Test("P13") func noSecretOfARequestIsInAFile() async throws {
    let stub = StubTransport()
    stub.on(.get, "/a", .text("x", headers: ["Vary": "Cookie", "Cache-Control": "max-age=60"]))
    let secrets: HTTPHeaders = ["Authorization": "Bearer hunter2", "Cookie": "s=hunter2"]
    let client = makeClient(try makeCache(), stub)
    let request = Request(.get, "/a", headers: secrets, cache: .http)
    for source in [ResponseSource.network, .cache(age: .zero)] {
      try await expectEqual(client.send(request, as: Data.self).source, source)
    }
    // The list of variants, and one variant.
    try expectEqual(files().count, 2)
    for file in try files() { expectNil(try Data(contentsOf: URL(filePath: file)).range(of: Data("hunter2".utf8))) }
  }

  @Test func theDefaultLimitsAreThoseOfTheGuides() throws {
    let cache = try ResponseCache(folder: folder)
    expectEqual(cache.disk?.capacity, 209_715_200)
    expectEqual(cache.disk?.reserve, 104_857_600)
    for cache in [cache, ResponseCache()] {
      expectEqual(cache.memoryBodyLimit, 20_971_520 / 4 - CacheEntry.overhead)
    }
  }

  @Test func aStoredBodyPausesForItsConsumer() throws {
    let stub = StubTransport()
    stub.on(.get, "/a", .data(Data(count: 4_000_000), headers: ["Cache-Control": "max-age=60"]))
    let transport = CachingTransport(stub, cache: try makeCache(), scheduler: .immediate)
    var request = HTTPRequest(url: try require(URL(string: "https://api.example.com/a")))
    request.cachePolicy = .http
    expect(SignalRecorder(transport.send(request)).isCompleted)
    let (clock, byteCount) = (VirtualScheduler(), CurrentValue(0))
    let counted = transport.send(request).on(value: { event in
      if case .body(let piece) = event { byteCount.modify { $0 += piece.count } }
    })
    let recorder = SignalRecorder(counted.observe(on: clock))
    // In pieces of 64 KiB.
    expect((1...Pressure.highCount * 65_536).contains(byteCount.value), "\(byteCount.value)")
    clock.advance()
    expectEqual(byteCount.value, 4_000_000)
    expect(recorder.isCompleted)
    expectEqual(stub.requests.count, 1)
  }
}
