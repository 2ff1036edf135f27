import Signals

/// A single timer for the idle timeouts of all exchanges.
///
/// A timer for each exchange would cost a tenth of the exchange.
final class IdleTimeoutWatch: Sendable {
  /// Fails exchanges whose idle timeout has passed at an instant; returns when to look again, or `nil` if none is left.
  typealias Look = @Sendable (SuspendingClock.Instant) -> SuspendingClock.Instant?

  private struct State {
    var dueAt: SuspendingClock.Instant?
    var timer: Disposable?
  }

  private let state = Guarded(State())

  deinit { state.withLock { $0.timer }?.dispose() }

  /// Schedules a look at an instant, unless an earlier one is scheduled.
  func expect(by instant: SuspendingClock.Instant, _ look: @escaping Look) {
    let isFirst = state.withLock { state in
      if let dueAt = state.dueAt, dueAt <= instant { return false }
      state.dueAt = instant
      return true
    }
    guard isFirst else { return }
    let timer = DispatchScheduler.global.schedule(after: instant - .now) { [weak self] in self?.wake(instant, look) }
    let needless = state.withLock { state in
      // The timer has fired meanwhile, or an earlier look is due.
      guard state.dueAt == instant else { return timer as Disposable? }
      let before = state.timer
      state.timer = timer
      return before
    }
    needless?.dispose()
  }

  private func wake(_ instant: SuspendingClock.Instant, _ look: @escaping Look) {
    let isDue = state.withLock { state in
      guard state.dueAt == instant else { return false }
      state = State()
      return true
    }
    if isDue, let next = look(.now) { expect(by: next, look) }
  }
}
