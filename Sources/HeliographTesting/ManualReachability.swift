public import Heliograph

/// A network status controlled by a test.
///
/// ```swift
/// let network = ManualReachability(.unreachable)
/// let kit = TestKit { $0.reachability = network }
/// network.set(.reachable)
/// ```
public final class ManualReachability: Reachability {
  private let latest: CurrentValue<ReachabilityStatus>

  /// Creates a network status with an initial value, by default `reachable`.
  public init(_ status: ReachabilityStatus = .reachable) {
    latest = CurrentValue(status)
  }

  /// The current status.
  public var status: ReachabilityStatus { latest.value }

  /// A signal that sends the current status and then each different one, on the thread that sets it.
  public var changes: Signal<ReachabilityStatus, Never> { latest.signal.distinctUntilChanged() }

  /// Sets the status; callable from any thread.
  public func set(_ status: ReachabilityStatus) { latest.value = status }
}
