public import Signals

/// Tells whether the device has a network, now and whenever that changes.
///
/// ``Reachability/system`` is the platform's own; `ManualReachability` in HeliographTesting is one that a test sets.
public protocol Reachability: Sendable {
  /// The present status; from any thread, and without waiting.
  var status: ReachabilityStatus { get }
  /// The present status, at once, and then each one that is different from the one before; it does not end.
  var changes: Signal<ReachabilityStatus, Never> { get }
}

/// A network that nobody looks at: always unknown, so nothing is ever kept back.
public struct UnwatchedReachability: Reachability {
  /// Makes it.
  public init() {}

  /// Always ``ReachabilityStatus/unknown``.
  public var status: ReachabilityStatus { .unknown }

  /// Sends ``ReachabilityStatus/unknown``, and nothing else.
  public var changes: Signal<ReachabilityStatus, Never> { CurrentValue(.unknown).signal }
}

extension Reachability where Self == UnwatchedReachability {
  /// A network that nobody looks at.
  public static var unwatched: UnwatchedReachability { UnwatchedReachability() }
}
