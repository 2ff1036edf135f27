#if canImport(Network)
import Dispatch
import Network
public import Signals

/// Tells what the system says about the default way out: for Apple's platforms.
///
/// A path that has to be established first, such as a VPN on demand, is unknown, because a request establishes it. The
/// status is unknown, too, until the system has reported for the first time, some milliseconds after `init`.
public final class PathReachability: Reachability {
  private let latest: CurrentValue<ReachabilityStatus>
  // Guarded because not every SDK says that monitors are Sendable.
  private let monitor: Guarded<NWPathMonitor>

  /// Begins to watch; ends with the last reference.
  public init() {
    let latest = CurrentValue(ReachabilityStatus.unknown)
    let monitor = NWPathMonitor()
    monitor.pathUpdateHandler = { path in
      let status = ReachabilityStatus(path.status)
      if status != latest.value { latest.value = status }
    }
    monitor.start(queue: DispatchQueue(label: "heliograph.reachability"))
    self.latest = latest
    self.monitor = Guarded(monitor)
  }

  deinit { monitor.withLock { $0.cancel() } }

  /// What the system said last; ``ReachabilityStatus/unknown`` before it did.
  public var status: ReachabilityStatus { latest.value }

  /// The present status, and then each change, on a queue of its own.
  ///
  /// The signal keeps this object alive, a subscription does not: with the object the changes end, without an event.
  public var changes: Signal<ReachabilityStatus, Never> { .deferred { [self] in latest.signal } }
}

extension ReachabilityStatus {
  fileprivate init(_ status: NWPath.Status) {
    switch status {
    case .satisfied: self.init(isReachable: true, isConnectionRequired: false)
    case .requiresConnection: self.init(isReachable: true, isConnectionRequired: true)
    case .unsatisfied: self.init(isReachable: false, isConnectionRequired: false)
    @unknown default: self = .unknown
    }
  }
}
#endif
