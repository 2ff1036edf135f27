import Foundation
import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// The lists of variants of a response, beside a change of it.
struct VariantListTests {
  /// A variant that is written during a change writes its list anew, with that of the variants from before.
  @Test func aListOfVariantsThatIsWrittenDuringAChangeIsRemoved() throws {
    let cache = ResponseCache()
    let headers: HTTPHeaders = ["Vary": "Accept-Language"]
    let requests = try ["en", "de"].map { language in
      HTTPRequest(url: try require(URL(string: "https://api.example.com/a")), headers: ["Accept-Language": language])
    }
    let key = try require(CacheKey(requests[0]))
    let locations = requests.map { cache.location(of: key, for: $0, headers, sent: nil) }
    func store(_ index: Int) {
      let time = Date(timeIntervalSince1970: 1)
      let head = CachedHead(statusCode: 200, headers: headers, requestedAt: time, receivedAt: time)
      let key = locations[index].key
      let response = StoredResponse(key: key.text, url: requests[index].url, head: head, version: 0, isHTTP: true)
      expect(cache.store(response, .data(Data(count: 10)), at: locations[index]).isWritten)
    }
    func found() -> [Bool] {
      requests.map { if case .found = cache.find(key, $0, readsDisk: true) { true } else { false } }
    }
    store(0)
    expectEqual(found(), [true, false])
    cache.writing(locations[1].key.name, of: key, since: cache.invalidationCount) {
      cache.invalidate([requests[1].url], for: requests[1])
      store(1)
    }
    expectEqual(found(), [false, false])
  }

  /// It is found only by requests that a newer list, or a newer response without `Vary`, does not know.
  @Test(arguments: [true, false], [[:], ["Vary": "Accept"], ["Vary": "Accept-Language"]] as [HTTPHeaders])
  func anOlderResponseThatArrivesLateDisplacesNoNewerList(_ isOnDisk: Bool, _ older: HTTPHeaders) throws {
    let folder = StoreFolder()
    let cache = isOnDisk ? try ResponseCache(folder: folder.url, reservedByteCount: 0) : ResponseCache()
    let newer: HTTPHeaders = ["Vary": "Accept-Language"]
    let requests = try ["en", "de"].map { language in
      HTTPRequest(url: try require(URL(string: "https://api.example.com/a")), headers: ["Accept-Language": language])
    }
    let key = try require(CacheKey(requests[0]))
    // The heads have arrived in the order of the requests.
    let locations = zip(requests, [older, newer]).map { cache.location(of: key, for: $0, $1, sent: nil) }
    func isStored(_ index: Int) -> Bool {
      let time = Date(timeIntervalSince1970: Double(index))
      let head = CachedHead(statusCode: 200, headers: [older, newer][index], requestedAt: time, receivedAt: time)
      let key = locations[index].key
      let response = StoredResponse(key: key.text, url: requests[index].url, head: head, version: 0, isHTTP: true)
      return cache.store(response, .data(Data(count: 10)), at: locations[index]).isWritten
    }
    expect(isStored(1))
    // Requests in flight share a list.
    expectEqual(isStored(0), older == newer)
    for (request, isFound) in zip(requests, [older == newer, true]) {
      if case .found = cache.find(key, request, readsDisk: true) { expect(isFound) } else { expect(!isFound) }
    }
  }

  /// On the transport's thread: the previous response is not read as a whole, so that its damage is not noticed.
  @Test func ofThePreviousResponseOnlyTheHeadIsRead() throws {
    let folder = StoreFolder()
    let cache = try ResponseCache(folder: folder.url, reservedByteCount: 0, memoryByteCount: 0)
    let request = HTTPRequest(url: try require(URL(string: "https://api.example.com/a")))
    let key = try require(CacheKey(request))
    for (byteCount, isWholeFileRead) in [(100, true), (60_000, false)] {
      try expect(require(cache.disk).put(key.name, body: .pattern(byteCount)))
      let file = try FileHandle(forUpdating: folder.file(key.name))
      let end = try file.seekToEnd()
      try file.seek(toOffset: end - 1)
      let last = try require(file.read(upToCount: 1)?.first)
      try file.seek(toOffset: end - 1)
      try file.write(contentsOf: Data([~last]))
      _ = cache.location(of: key, for: request, [:], sent: nil)
      expectEqual(cache.disk?.has(key.name), !isWholeFileRead)
      expectNil(cache.disk?.body(key.name))
    }
  }

  /// A request that begins during a change meets the list of one from before it, which the change has not removed yet.
  @Test(arguments: [false, true]) func aListOfVariantsIsNotSharedAcrossAChange(_ isChanged: Bool) throws {
    let cache = ResponseCache()
    let request = HTTPRequest(url: try require(URL(string: "https://api.example.com/a")))
    let key = try require(CacheKey(request))
    func list() -> StoredVariants? {
      cache.location(of: key, for: request, ["Vary": "Accept-Language"], sent: nil).list
    }
    let before = try require(list())
    let shared = try require(cache.lists.value(for: key.name))
    if isChanged { cache.invalidate([request.url], for: request) }
    cache.lists.insert(shared, cost: 1, for: key.name)
    let after = try require(list())
    expectEqual(after.epoch != before.epoch, isChanged)
    expectEqual(list(), after)
  }
}
