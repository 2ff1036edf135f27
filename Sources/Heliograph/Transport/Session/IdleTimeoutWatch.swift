import Signals

/// A single timer for the idle timeouts of all exchanges.
///
/// A separate timer would add a tenth to the cost of each exchange.
final class IdleTimeoutWatch: Sendable {
  /// Fails exchanges whose idle timeout has passed at an instant; returns the instant of the next check, or `nil` if no
  /// exchange is left.
  ///
  /// If the timer is late, no exchange fails: the process was suspended, and data that arrived has not been delivered
  /// yet.
  typealias Check = @Sendable (_ now: SuspendingClock.Instant, _ isLate: Bool) -> SuspendingClock.Instant?

  private struct State {
    var dueAt: SuspendingClock.Instant?
    var timer: Disposable?
  }

  private let state = Guarded(State())
  private let scheduler: any SignalScheduler
  private let clock: @Sendable () -> SuspendingClock.Instant

  init(
    on scheduler: any SignalScheduler = DispatchScheduler.global,
    clock: @escaping @Sendable () -> SuspendingClock.Instant = { .now }
  ) {
    self.scheduler = scheduler
    self.clock = clock
  }

  deinit { state.withLock { $0.timer }?.dispose() }

  /// Schedules a check at an instant, unless an earlier one is scheduled.
  func schedule(at instant: SuspendingClock.Instant, _ check: @escaping Check) {
    let isFirst = state.withLock { state in
      if let dueAt = state.dueAt, dueAt <= instant { return false }
      state.dueAt = instant
      return true
    }
    guard isFirst else { return }
    let delay = instant - clock()
    let timer = scheduler.schedule(after: delay) { [weak self] in self?.fire(instant, after: delay, check) }
    let obsoleteTimer = state.withLock { state in
      // The timer has already fired, or an earlier check has been scheduled.
      guard state.dueAt == instant else { return timer as Disposable? }
      let former = state.timer
      state.timer = timer
      return former
    }
    obsoleteTimer?.dispose()
  }

  private func fire(_ instant: SuspendingClock.Instant, after delay: Duration, _ check: @escaping Check) {
    let isDue = state.withLock { state in
      guard state.dueAt == instant else { return false }
      state = State()
      return true
    }
    guard isDue else { return }
    let now = clock()
    if let next = check(now, now - instant > Suspension.tolerance(after: delay)) { schedule(at: next, check) }
  }
}
