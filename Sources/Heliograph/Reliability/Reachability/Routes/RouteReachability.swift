#if canImport(Glibc) || canImport(Musl)
import Dispatch
package import Signals

/// The network status derived from the kernel's routes out of this machine, for Linux.
///
/// Reachable means that a unicast route of any table uses an interface that is up and running and is not the
/// loopback. Routes to IPv6 link-local addresses do not count, because every interface has one. The status is unknown
/// where the kernel's tables cannot be read, as in some sandboxes. Without changes it costs nothing; see
/// rtnetlink(7).
package final class RouteReachability: Reachability {
  private let latest: CurrentValue<ReachabilityStatus>
  private let watch: Disposable?

  /// Reads the routes before it returns, and then monitors changes until deallocation; it covers the network namespace
  /// of the thread that creates it.
  package convenience init(on scheduler: any SignalScheduler = .global) {
    self.init(events: NetlinkSocket(groups: Netlink.changeGroups), dumps: NetlinkSocket(groups: 0), on: scheduler)
  }

  package init(events: NetlinkSocket?, dumps: NetlinkSocket?, on scheduler: any SignalScheduler) {
    guard let events, let dumps else {
      latest = CurrentValue(.unknown)
      watch = nil
      return
    }
    // The socket for events was opened before the first read, so no change is missed in between.
    let latest = CurrentValue(dumps.status)
    self.latest = latest
    watch = RouteReachability.watch(events, on: scheduler) {
      let status = dumps.status
      if status != latest.value { latest.value = status }
    }
  }

  deinit { watch?.dispose() }

  /// The status of the last read, at most about 40 ms behind the kernel.
  package var status: ReachabilityStatus { latest.value }

  /// The current status, followed by each change, on the scheduler.
  ///
  /// The signal retains this object; a subscription does not. After deallocation no more changes are sent, and the
  /// signal does not terminate.
  package var changes: Signal<ReachabilityStatus, Never> { .deferred { [self] in latest.signal } }

  private static func watch(
    _ events: NetlinkSocket, on scheduler: any SignalScheduler, _ read: @escaping @Sendable () -> Void
  ) -> Disposable {
    let changes = PublishSubject<Void, Never>()
    // One read for a burst of changes, after it: a route that is replaced is missing for a moment.
    let reading = changes.signal.collect(every: .milliseconds(20), on: scheduler)
      .delay(.milliseconds(20), on: scheduler).subscribe(onValue: { _ in read() })
    // Dispatch sources are thread-safe, but their protocol does not declare it on every platform.
    nonisolated(unsafe) let source = DispatchSource.makeReadSource(
      fileDescriptor: events.descriptor, queue: DispatchQueue(label: "heliograph.reachability"))
    source.setEventHandler {
      events.drain()
      changes.send()
    }
    // The descriptor must stay open while Dispatch monitors it.
    source.setCancelHandler { withExtendedLifetime(events) {} }
    source.activate()
    return Disposable {
      reading.dispose()
      source.cancel()
    }
  }
}

extension NetlinkSocket {
  /// The status according to the kernel's current tables; unknown if they cannot be read.
  fileprivate var status: ReachabilityStatus {
    guard let snapshot = snapshot() else { return .unknown }
    return ReachabilityStatus(isReachable: snapshot.isReachable, isConnectionRequired: false)
  }
}
#endif
