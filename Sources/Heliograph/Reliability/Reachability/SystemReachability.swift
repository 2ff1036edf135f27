#if canImport(Network)
/// The source of the network status on this platform.
public typealias SystemReachability = PathReachability
#elseif canImport(Glibc) || canImport(Musl)
/// The source of the network status on this platform.
public typealias SystemReachability = RouteReachability
#else
/// The source of the network status on this platform, where it is always unknown.
public typealias SystemReachability = UnwatchedReachability
#endif

extension SystemReachability {
  /// The shared instance, created on first use; it monitors the network from then on.
  static let shared = SystemReachability()
}

extension Reachability where Self == SystemReachability {
  /// The platform's own source, shared by the whole process; it monitors the network from its first use on.
  public static var system: SystemReachability { SystemReachability.shared }
}
