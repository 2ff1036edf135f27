/// The priority of a request among those that wait in a queue.
///
/// It applies to lanes of the policies ``Lane/Policy/serial`` and ``Lane/Policy/limit(_:)``, and to the queues of
/// ``TransportSettings/concurrencyLimit`` and ``NetworkClient/Configuration/concurrencyLimit``. Requests of a higher
/// priority start first, those of the same priority in the order of their subscriptions. No request in flight is
/// stopped or slowed down.
///
/// Requests of a higher priority may delay others indefinitely. Set a ``HTTPRequest/totalTimeout`` on a request that
/// must not wait so long. Default: ``normal``.
public enum RequestPriority: Int, Sendable, Hashable, Comparable, CaseIterable {
  /// For requests that no user is waiting for: offscreen images, prefetching, analytics.
  case low
  /// For ordinary requests.
  case normal
  /// For requests that the user is waiting for.
  case high

  /// Returns whether the left priority is lower, so that its requests start later.
  public static func < (left: RequestPriority, right: RequestPriority) -> Bool { left.rawValue < right.rawValue }
}
