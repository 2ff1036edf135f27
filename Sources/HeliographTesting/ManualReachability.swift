public import Heliograph
public import Signals

/// A network that comes and goes as a test says.
///
/// ```swift
/// let network = ManualReachability(.unreachable)
/// let gate = OfflineGate(StubTransport(), reachability: network)
/// network.set(.reachable)
/// ```
public final class ManualReachability: Reachability {
  private let latest: CurrentValue<ReachabilityStatus>

  /// Makes a network.
  ///
  /// - Parameter status: its status at first. Default: `reachable`.
  public init(_ status: ReachabilityStatus = .reachable) {
    latest = CurrentValue(status)
  }

  /// What was set last.
  public var status: ReachabilityStatus { latest.value }

  /// The present status, at once, and then each one that is different, on the thread that sets it.
  public var changes: Signal<ReachabilityStatus, Never> { latest.signal.distinctUntilChanged() }

  /// Sets the status; from any thread.
  public func set(_ status: ReachabilityStatus) { latest.value = status }
}
