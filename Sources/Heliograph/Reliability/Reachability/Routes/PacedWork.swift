#if canImport(Glibc) || canImport(Musl)
package import Signals

/// A coalescing worker: a pause follows the first request, then one run serves all requests so far.
///
/// Two runs never overlap. A request during a run causes one more run.
package final class PacedWork: Sendable {
  private enum Phase {
    case idle
    case waiting
    case working
    /// A run is in progress and may have missed the latest change.
    case workingWithRerun
    case stopped
  }

  private let phase = Guarded(Phase.idle)
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
      switch phase {
      case .idle:
        phase = .waiting
        return true
      case .working:
        phase = .workingWithRerun
        return false
      case .waiting, .workingWithRerun, .stopped: return false
      }
    }
    if isFirst { wait() }
  }

  /// Stops the work: a requested run no longer starts.
  package func stop() { phase.withLock { $0 = .stopped } }

  private func wait() {
    scheduler.schedule(after: pause) { [weak self] in self?.run() }
  }

  private func run() {
    let starts = phase.withLock { phase in
      guard case .waiting = phase else { return false }
      phase = .working
      return true
    }
    guard starts else { return }
    work()
    let needsRerun = phase.withLock { phase in
      switch phase {
      case .workingWithRerun:
        phase = .waiting
        return true
      case .working:
        phase = .idle
        return false
      case .idle, .waiting, .stopped: return false
      }
    }
    if needsRerun { wait() }
  }
}
#endif
