#if canImport(Network)
/// What tells about the network on this platform.
public typealias SystemReachability = PathReachability
#elseif canImport(Glibc) || canImport(Musl)
/// What tells about the network on this platform.
public typealias SystemReachability = RouteReachability
#else
/// What tells about the network on this platform: nothing does.
public typealias SystemReachability = UnwatchedReachability
#endif

extension SystemReachability {
  /// Made at its first use, and watching from then on.
  static let shared = SystemReachability()
}

extension Reachability where Self == SystemReachability {
  /// The platform's own, one for the whole process: it begins to watch at its first use and goes on for good.
  public static var system: SystemReachability { SystemReachability.shared }
}
