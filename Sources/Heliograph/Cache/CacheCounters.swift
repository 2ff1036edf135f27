public import Signals

extension ResponseCache {
  /// The counts of a cache since it was created.
  public struct Statistics: Sendable, Hashable {
    /// The number of responses delivered without the network.
    public var hitCount = 0
    /// The number of stored responses that the server confirmed with a 304.
    public var revalidationCount = 0
    /// The number of misses by reason.
    public var misses: [CacheMissReason: Int] = [:]
    /// The number of responses stored.
    public var storedCount = 0
    /// The number of bytes of all bodies stored.
    public var storedByteCount = 0
    /// The number of responses removed to make room.
    public var evictionCount = 0

    /// The number of all misses.
    public var missCount: Int { misses.values.reduce(0, +) }
  }

  /// The counts since the cache was created.
  ///
  /// Its signal sends each change on the thread that caused it.
  public var statistics: Property<Statistics> { counters.value.property }
}

extension ResponseCache.Statistics: CustomStringConvertible {
  /// The counts on one line.
  public var description: String {
    "\(hitCount) hits, \(revalidationCount) revalidated, \(missCount) misses, "
      + "\(storedCount) stored (\(storedByteCount) bytes), \(evictionCount) evicted"
  }
}

/// The counts of a cache, changed by its requests.
final class CacheCounters: Sendable {
  let value = CurrentValue(ResponseCache.Statistics())

  func change(_ change: @Sendable (inout ResponseCache.Statistics) -> Void) { value.modify(change) }
}
