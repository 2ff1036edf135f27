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
  /// The pause after a change, to coalesce a burst of changes.
  package static let pause = Duration.milliseconds(20)

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

  /// The status of the last read, at most about 20 ms behind the kernel.
  package var status: ReachabilityStatus { latest.value }

  /// The current status, followed by each change, on the scheduler.
  ///
  /// The signal retains this object; a subscription does not. After deallocation no more changes are sent, and the
  /// signal does not terminate.
  package var changes: Signal<ReachabilityStatus, Never> { .deferred { [self] in latest.signal } }

  private static func watch(
    _ events: NetlinkSocket, on scheduler: any SignalScheduler, _ read: @escaping @Sendable () -> Void
  ) -> Disposable {
    let reader = PacedWork(pause: pause, on: scheduler, read)
    // Dispatch sources are thread-safe, but their protocol does not declare it on every platform.
    nonisolated(unsafe) let source = DispatchSource.makeReadSource(
      fileDescriptor: events.descriptor, queue: DispatchQueue(label: "heliograph.reachability"))
    source.setEventHandler {
      events.drain()
      reader.request()
    }
    // The descriptor must stay open while Dispatch monitors it.
    source.setCancelHandler { withExtendedLifetime(events) {} }
    source.activate()
    return Disposable {
      reader.stop()
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

/// A coalescing worker: a pause follows the first request, then one run serves all requests so far.
///
/// Two runs never overlap. A request during a run causes one more run.
package final class PacedWork: Sendable {
  private enum Phase {
    case idle
    case waiting
    case stopped
  }

  private let phase = Guarded(Phase.idle)
  private let running = Drain()
  private let pause: Duration
  private let scheduler: any SignalScheduler
  private let work: @Sendable () -> Void

  package init(pause: Duration, on scheduler: any SignalScheduler, _ work: @escaping @Sendable () -> Void) {
    self.pause = pause
    self.scheduler = scheduler
    self.work = work
  }

  /// Requests a run; may be called on any thread.
  package func request() {
    let isFirst = phase.withLock { phase in
      guard phase == .idle else { return false }
      phase = .waiting
      return true
    }
    if isFirst { scheduler.schedule(after: pause) { [weak self] in self?.run() } }
  }

  /// Stops the work: a requested run no longer starts.
  package func stop() { phase.withLock { $0 = .stopped } }

  private func run() {
    running.run {
      let starts = phase.withLock { phase in
        guard phase == .waiting else { return false }
        phase = .idle
        return true
      }
      if starts { work() }
    }
  }
}
#endif
