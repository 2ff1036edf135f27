public import Signals

/// A source of the device's network status and of its changes.
///
/// ``Reachability/system`` is the platform's own. The status of `ManualReachability` in HeliographTesting is set by a
/// test.
public protocol Reachability: Sendable {
  /// The current status; may be read on any thread, without blocking.
  var status: ReachabilityStatus { get }
  /// The current status, at once, followed by every change; the signal does not terminate.
  var changes: Signal<ReachabilityStatus, Never> { get }
  /// Whether requests are refused while the status is `unreachable`.
  ///
  /// Return `false` for a status that may be stale: requests are then sent, and without a network fail with the error
  /// of the transport. Default: `true`.
  var refusesRequests: Bool { get }
  /// The costs of the network in use: whether it is cellular, expensive or constrained.
  ///
  /// Prefetching code should read them before it starts. Default: none.
  var costs: NetworkCosts { get }
}

extension Reachability {
  /// The default: `true`.
  public var refusesRequests: Bool { true }
  /// The default: none.
  public var costs: NetworkCosts { [] }
}

/// A network status that is always unknown, so that no request is held back.
package struct UnwatchedReachability: Reachability {
  package init() {}

  package var status: ReachabilityStatus { .unknown }

  package var changes: Signal<ReachabilityStatus, Never> { .never.prepend(.unknown) }
}
