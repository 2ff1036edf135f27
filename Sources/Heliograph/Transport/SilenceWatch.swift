import Signals

/// One timer for all exchanges of which nothing may come for too long: one for each would cost a tenth of the exchange.
final class SilenceWatch: Sendable {
  /// Ends what has been silent for too long by an instant, and says when to look again; `nil` if there is nothing.
  typealias Look = @Sendable (SuspendingClock.Instant) -> SuspendingClock.Instant?

  private struct State {
    var dueAt: SuspendingClock.Instant?
    var timer: Disposable?
  }

  private let state = Guarded(State())

  deinit { state.withLock { $0.timer }?.dispose() }

  /// Looks at this instant, unless it has to look before.
  func expect(by instant: SuspendingClock.Instant, _ look: @escaping Look) {
    let isFirst = state.withLock { state in
      if let dueAt = state.dueAt, dueAt <= instant { return false }
      state.dueAt = instant
      return true
    }
    guard isFirst else { return }
    let timer = DispatchScheduler.global.schedule(after: instant - .now) { [weak self] in self?.wake(instant, look) }
    let needless = state.withLock { state in
      // Meanwhile it has gone off, or something else is due before.
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
