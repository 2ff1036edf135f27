public import Signals

#if canImport(Network) && !os(watchOS) && !targetEnvironment(simulator)
package typealias PlatformReachability = PathReachability
#elseif canImport(Glibc) || canImport(Musl)
package typealias PlatformReachability = RouteReachability
#else
package typealias PlatformReachability = UnwatchedReachability
#endif
// On watchOS, the path of an ordinary app stays unsatisfied although its requests succeed (Apple's TN3135). In a
// simulator, the path misses the return of the network.

/// The platform's own source of the network status; see ``Reachability/system`` and ``Reachability/unwatched``.
///
/// | platform | source |
/// |---|---|
/// | Apple's | the system's default path, which refuses no request, because it may be stale after a suspension. Unknown for some milliseconds, until the first report, and for a path that must be established first, such as a VPN on demand |
/// | watchOS, simulators | none: always unknown |
/// | Linux | the kernel's routes out of this machine, at most 40 ms after a change; unknown if they cannot be read |
public struct SystemReachability: Reachability {
  /// The shared instance, created on first use; it monitors the network from then on.
  static let shared = SystemReachability(source: PlatformReachability())

  package let source: any Reachability

  /// The last reported status.
  public var status: ReachabilityStatus { source.status }

  /// The current status, on the subscriber's thread, followed by each change, in the background.
  public var changes: Signal<ReachabilityStatus, Never> { source.changes }

  /// Whether requests are refused while the status is `unreachable`, as on Linux, where the status follows the kernel's
  /// routes.
  public var refusesRequests: Bool { source.refusesRequests }

  /// The costs of the network in use; on Linux, watchOS and simulators none.
  public var costs: NetworkCosts { source.costs }
}

extension Reachability where Self == SystemReachability {
  /// The platform's own source, shared by the whole process; it monitors the network from its first use on.
  public static var system: SystemReachability { SystemReachability.shared }

  /// A network status that is always unknown, so that no request is held back.
  public static var unwatched: SystemReachability { SystemReachability(source: UnwatchedReachability()) }
}
