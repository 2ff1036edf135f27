/// Which of the requests that wait for a place is sent first.
///
/// It counts while they wait, see ``TransportSettings/activeLimit`` and ``LimitingTransport``: those of a higher priority
/// start first, those of the same one in the order of their subscriptions. Nothing in flight is stopped or slowed down.
///
/// A lower one waits as long as others of a higher priority keep coming, however long that is; give it a
/// ``HTTPRequest/totalTimeout`` if it must not. Default of every request: ``normal``.
public enum RequestPriority: Int, Sendable, Hashable, Comparable, CaseIterable {
  /// What nobody waits for: images further down, what is fetched in advance, statistics.
  case low
  /// What has nothing special about it.
  case normal
  /// What somebody looks at a spinner for.
  case high

  /// Whether the left one starts after the right one.
  public static func < (left: RequestPriority, right: RequestPriority) -> Bool { left.rawValue < right.rawValue }
}
