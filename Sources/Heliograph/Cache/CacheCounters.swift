public import Signals

extension ResponseCache {
  /// The counters of a cache since its creation.
  public struct Statistics: Sendable, Hashable {
    /// The number of stored responses delivered without confirmation by the server, also after a failure.
    public var hitCount = 0
    /// The number of stored responses that the server confirmed with a 304.
    public var revalidationCount = 0
    /// The number of misses by reason.
    ///
    /// All misses by ``CacheMissReason/version(stored:wanted:)`` are counted together, with the versions of the last one.
    public var misses: [CacheMissReason: Int] = [:]
    /// The number of responses stored.
    public var storedCount = 0
    /// The total number of body bytes stored.
    public var storedByteCount = 0
    /// The number of responses removed to make room.
    public var evictionCount = 0

    /// The total number of misses.
    public var missCount: Int { misses.values.reduce(0, +) }

    mutating func countMiss(_ reason: CacheMissReason) {
      var count = 1
      // An app whose versions rise would otherwise add an entry for each pair.
      if case .version = reason, let last = misses.keys.first(where: \.isVersion) {
        count += misses.removeValue(forKey: last) ?? 0
      } else {
        count += misses[reason] ?? 0
      }
      misses[reason] = count
    }
  }

  /// The counters since the cache was created.
  ///
  /// Each change is delivered on the thread that caused it, or on one that is delivering an earlier change. Before the
  /// first subscription, counting costs almost nothing.
  public var statistics: Property<Statistics> { counters.property }
}

extension CacheMissReason {
  fileprivate var isVersion: Bool { if case .version = self { true } else { false } }
}

extension ResponseCache.Statistics: CustomStringConvertible {
  /// The counters on one line.
  public var description: String {
    "\(hitCount) hits, \(revalidationCount) revalidated, \(missCount) misses, "
      + "\(storedCount) stored (\(storedByteCount) bytes), \(evictionCount) evicted"
  }
}

/// The counters of a cache, published from the first subscription on.
final class CacheCounters: Sendable {
  private struct State {
    var counts = ResponseCache.Statistics()
    /// The published counters; `nil` before the first subscription.
    var published: CurrentValue<ResponseCache.Statistics>?
  }

  private let state = Guarded(State())

  var property: Property<ResponseCache.Statistics> {
    Property(.deferred { self.publish().signal }) { self.state.withLock { $0.counts } }
  }

  func update(_ update: @Sendable (inout ResponseCache.Statistics) -> Void) {
    let published = state.withLock { state in
      update(&state.counts)
      return state.published
    }
    published?.modify(update)
  }

  private func publish() -> CurrentValue<ResponseCache.Statistics> {
    state.withLock { state in
      let published = state.published ?? CurrentValue(state.counts)
      state.published = published
      return published
    }
  }
}
