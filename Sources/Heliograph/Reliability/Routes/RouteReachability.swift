#if canImport(Glibc) || canImport(Musl)
import Dispatch
public import Signals

/// Tells whether a route leads out of this machine, by events of the kernel: for Linux.
///
/// Reachable means: some unicast route, of any table, goes through an interface that is up and running and is not the
/// loopback. Routes to IPv6's link-local addresses do not count, because every interface has one. The status is unknown
/// where the kernel cannot be asked, as in some sandboxes. It costs nothing while nothing changes; see rtnetlink(7).
public final class RouteReachability: Reachability {
  /// Changes come in bursts: so long is waited for the rest of one.
  package static let pause = Duration.milliseconds(20)

  private let latest: CurrentValue<ReachabilityStatus>
  private let watch: Disposable?

  /// Looks at the routes, before it returns, and begins to watch; ends with the last reference.
  ///
  /// It is about the network namespace of the thread that makes it.
  /// - Parameter scheduler: where it looks again, 20 ms after a change, and delivers ``changes``. Default: `.global`.
  public convenience init(on scheduler: any SignalScheduler = .global) {
    self.init(events: NetlinkSocket(groups: Netlink.changeGroups), dumps: NetlinkSocket(groups: 0), on: scheduler)
  }

  package init(events: NetlinkSocket?, dumps: NetlinkSocket?, on scheduler: any SignalScheduler) {
    guard let events, let dumps else {
      latest = CurrentValue(.unknown)
      watch = nil
      return
    }
    // The events are there before the first look, so no change is missed between the two.
    let latest = CurrentValue(dumps.status)
    self.latest = latest
    watch = RouteReachability.watch(events, on: scheduler) {
      let status = dumps.status
      if status != latest.value { latest.value = status }
    }
  }

  deinit { watch?.dispose() }

  /// What the last look has shown: at most some 20 ms behind the kernel.
  public var status: ReachabilityStatus { latest.value }

  /// The present status, and then each change, on the scheduler.
  ///
  /// The signal keeps this object alive, a subscription does not: with the object the changes end, without an event.
  public var changes: Signal<ReachabilityStatus, Never> { .deferred { [self] in latest.signal } }

  private static func watch(
    _ events: NetlinkSocket, on scheduler: any SignalScheduler, _ look: @escaping @Sendable () -> Void
  ) -> Disposable {
    let looking = PacedWork(pause: pause, on: scheduler, look)
    // Dispatch's objects may be used from any thread; their protocol does not say so on every platform.
    nonisolated(unsafe) let source = DispatchSource.makeReadSource(
      fileDescriptor: events.descriptor, queue: DispatchQueue(label: "heliograph.reachability"))
    source.setEventHandler {
      events.drain()
      looking.ask()
    }
    // The descriptor has to stay open for as long as Dispatch watches it.
    source.setCancelHandler { withExtendedLifetime(events) {} }
    source.activate()
    return Disposable {
      looking.stop()
      source.cancel()
    }
  }
}

extension NetlinkSocket {
  /// What the kernel's tables say now; unknown if they cannot be read.
  fileprivate var status: ReachabilityStatus {
    guard let snapshot = snapshot() else { return .unknown }
    return ReachabilityStatus(isReachable: snapshot.isReachable, isConnectionRequired: false)
  }
}
#endif
