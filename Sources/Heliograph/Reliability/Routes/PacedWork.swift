#if canImport(Glibc) || canImport(Musl)
package import Signals

/// Work that is asked for often and done seldom: a pause after the first who asks, for all who have asked by then.
///
/// It never runs twice at the same time; who asks while it runs makes it run once more.
package final class PacedWork: Sendable {
  private enum Phase {
    case idle
    case waiting
    case working
    /// It is in flight, and what has changed meanwhile it may not have seen.
    case workingAndAsked
    case over
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

  /// Asks for the work; from any thread.
  package func ask() {
    let isFirst = phase.withLock { phase in
      switch phase {
      case .idle:
        phase = .waiting
        return true
      case .working:
        phase = .workingAndAsked
        return false
      case .waiting, .workingAndAsked, .over: return false
      }
    }
    if isFirst { wait() }
  }

  /// Ends it: what waits is not done any more.
  package func stop() { phase.withLock { $0 = .over } }

  private func wait() {
    scheduler.schedule(after: pause) { [weak self] in self?.run() }
  }

  private func run() {
    let isDue = phase.withLock { phase in
      guard case .waiting = phase else { return false }
      phase = .working
      return true
    }
    guard isDue else { return }
    work()
    let isAskedAgain = phase.withLock { phase in
      switch phase {
      case .workingAndAsked:
        phase = .waiting
        return true
      case .working:
        phase = .idle
        return false
      case .idle, .waiting, .over: return false
      }
    }
    if isAskedAgain { wait() }
  }
}
#endif
