#if canImport(Glibc) || canImport(Musl)
package import Signals

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
