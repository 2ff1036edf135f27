import Foundation
import Signals
import Synchronization

/// A complete response that is stored once its reader has accepted it.
final class RecordedCandidate: StoreCandidate {
  private let cache: ResponseCache
  private let place: StoragePlace
  private let key: CacheKey
  private let response: StoredResponse
  /// The whole body, or the file that it was written to as it was received; released when it is stored.
  private let content: Guarded<(body: Data?, writer: DiskWriter?)>
  private let byteCount: Int
  /// Whether HTTP stores the response even if the reader rejects it: a 404 is cacheable.
  private let keepsRejected: Bool
  private let invalidations: Int
  private let log: SendLog?
  private let observe: (@Sendable (CacheEvent) -> Void)?
  private let isCommitted = Atomic(false)

  init(
    _ cache: ResponseCache, _ place: StoragePlace, _ key: CacheKey, _ response: StoredResponse, _ body: Data?,
    _ writer: DiskWriter?, byteCount: Int, keepsRejected: Bool, since invalidations: Int,
    log: SendLog?, _ observe: (@Sendable (CacheEvent) -> Void)?
  ) {
    self.invalidations = invalidations
    self.log = log
    self.cache = cache
    self.place = place
    self.key = key
    self.response = response
    content = Guarded((body, writer))
    self.byteCount = byteCount
    self.keepsRejected = keepsRejected
    self.observe = observe
  }

  func commit() {
    // A removal or an unsafe request has come in between: the response is older than it.
    if cache.isInvalidated(key, since: invalidations) { return }
    // Another request of the same exchange may have stored it.
    if log?.claimStorage() == false { return }
    isCommitted.store(true, ordering: .releasing)
    let (body, writer) = content.withLock { content in
      defer { content = (nil, nil) }
      return content
    }
    if let list = place.list { cache.write(.variants(list.variants), Data(), for: list.name) }
    if let body {
      cache.write(.response(response), body, for: place.key.name)
    } else if let writer {
      cache.noteUse()
      guard writer.commit() else {
        cache.remove(place.key.name)
        observe?(.notStored("the disk is full"))
        return
      }
      cache.memory.remove(place.key.name)
    }
    cache.confirmWrite(of: place.key.name, key, since: invalidations)
    cache.traces.insert(CacheTrace(name: place.key.name), cost: 1, for: .trace(key.shared))
    cache.counters.change { [byteCount] in
      $0.storedCount += 1
      $0.storedByteCount += byteCount
    }
    observe?(.stored(byteCount: byteCount))
  }

  func discard() {
    if isCommitted.load(ordering: .acquiring) {
      cache.remove(place.key.name)
    } else if keepsRejected {
      commit()
    }
  }
}
