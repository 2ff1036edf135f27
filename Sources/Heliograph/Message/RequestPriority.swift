/// The priority of a request among those that wait in a queue.
///
/// It applies to the queues of ``TransportSettings/concurrencyLimit`` and ``NetworkClient/Configuration/concurrencyLimit``. Requests of a higher
/// priority start first, those of the same priority in the order of their subscriptions. No request in flight is
/// stopped or slowed down.
///
/// Requests of a higher priority may delay one of a lower priority without limit. Give it a
/// ``HTTPRequest/totalTimeout`` if it must not wait so long. Default of every request: ``normal``.
public enum RequestPriority: Int, Sendable, Hashable, Comparable, CaseIterable {
  /// For requests without a waiting user: images further down, prefetching, statistics.
  case low
  /// For ordinary requests.
  case normal
  /// For requests that the user is waiting for.
  case high

  /// Returns whether the left priority is lower, so that its requests start later.
  public static func < (left: RequestPriority, right: RequestPriority) -> Bool { left.rawValue < right.rawValue }
}
