import Foundation
import Signals
import Synchronization

/// A complete response that is stored once its reader has accepted it.
final class RecordedCandidate: StoreCandidate {
  private let cache: ResponseCache
  private let place: StoragePlace
  private let key: CacheKey
  private let response: StoredResponse
  /// The body; released when it is stored.
  private let content: Guarded<RecordedContent?>
  private let byteCount: Int
  /// Whether HTTP stores the response even if the reader rejects it: a 404 is cacheable.
  private let keepsRejected: Bool
  private let invalidations: Int
  private let log: SendLog?
  private let observe: (@Sendable (CacheEvent) -> Void)?
  private let isCommitted = Atomic(false)

  init(
    _ cache: ResponseCache, _ place: StoragePlace, _ key: CacheKey, _ response: StoredResponse,
    _ content: RecordedContent, byteCount: Int, keepsRejected: Bool, since invalidations: Int,
    log: SendLog?, _ observe: (@Sendable (CacheEvent) -> Void)?
  ) {
    self.invalidations = invalidations
    self.log = log
    self.cache = cache
    self.place = place
    self.key = key
    self.response = response
    self.content = Guarded(content)
    self.byteCount = byteCount
    self.keepsRejected = keepsRejected
    self.observe = observe
  }

  func commit() {
    let stored = cache.writing(place.key.name, of: key, since: invalidations) {
      () -> (isWritten: Bool, problem: String?)? in
      // Another request of the same exchange may have stored it.
      if log?.claimStorage() == false { return nil }
      let content = content.withLock { $0.take() }
      return content.map { cache.store(response, $0, at: place) }
    }
    guard let (isWritten, problem) = stored ?? nil else { return }
    if isWritten { isCommitted.store(true, ordering: .releasing) }
    if let problem {
      observe?(.notStored(problem))
      return
    }
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
