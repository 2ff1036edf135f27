#if canImport(Network) && !os(watchOS)
import Dispatch
import Network
package import Signals

/// The network status of the system's default path, for Apple's platforms.
///
/// A path that has to be established first, such as a VPN on demand, counts as unknown, because a request establishes
/// it. The status is also unknown before the system's first report, some milliseconds after `init`.
///
/// It refuses no request, because after a suspension the path is outdated until the next report.
package final class PathReachability: Reachability {
  private let latest: CurrentValue<ReachabilityStatus>
  private let latestCosts: CurrentValue<NetworkCosts>
  // Guarded, because monitors are not declared `Sendable` in every SDK.
  private let monitor: Guarded<NWPathMonitor>

  /// Starts to monitor the path, until deallocation.
  package init() {
    let latest = CurrentValue(ReachabilityStatus.unknown)
    let latestCosts = CurrentValue<NetworkCosts>([])
    let monitor = NWPathMonitor()
    monitor.pathUpdateHandler = { path in
      latestCosts.value = NetworkCosts(path)
      let status = ReachabilityStatus(path.status)
      if status != latest.value { latest.value = status }
    }
    monitor.start(queue: DispatchQueue(label: "heliograph.reachability"))
    self.latest = latest
    self.latestCosts = latestCosts
    self.monitor = Guarded(monitor)
  }

  deinit { monitor.withLock { $0.cancel() } }

  /// The last reported status; ``ReachabilityStatus/unknown`` before the first report.
  package var status: ReachabilityStatus { latest.value }

  package var refusesRequests: Bool { false }

  package var costs: NetworkCosts { latestCosts.value }

  /// The current status, on the subscriber's thread, followed by each change, on a private queue.
  ///
  /// The signal retains this object; a subscription does not. After deallocation no more changes are sent, and the
  /// signal does not terminate.
  package var changes: Signal<ReachabilityStatus, Never> { .deferred { [self] in latest.signal } }
}

extension NetworkCosts {
  fileprivate init(_ path: NWPath) {
    self = []
    if path.usesInterfaceType(.cellular) { insert(.cellular) }
    if path.isExpensive { insert(.expensive) }
    if path.isConstrained { insert(.constrained) }
  }
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
