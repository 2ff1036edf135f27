/// A slot for the handle of one timer; a new timer replaces the previous one.
///
/// A timer may fire, and be set again, before the `schedule` call that created it has returned. The handles are
/// therefore numbered.
final class TimerSlot: Disposing {
  private struct State {
    var handle: Disposable?
    var number = 0
    var heldNumber = 0
    var isDisposed = false
  }

  private let state = Guarded(State())

  var isDisposed: Bool { state.withLock { $0.isDisposed } }

  /// Runs work once after a delay, unless the slot is disposed or set again first.
  func set(after delay: Duration, on scheduler: some SignalScheduler, _ work: @escaping @Sendable () -> Void) {
    let number = state.withLock { state in
      state.number += 1
      return state.number
    }
    let handle = scheduler.schedule(after: delay, work)
    let dropped = state.withLock { state -> Disposable? in
      if state.isDisposed || state.heldNumber > number { return handle }
      let before = state.handle
      (state.handle, state.heldNumber) = (handle, number)
      return before
    }
    dropped?.dispose()
  }

  func dispose() {
    let dropped = state.withLock { state in
      let before = state.handle
      state.handle = nil
      state.isDisposed = true
      return before
    }
    dropped?.dispose()
  }
}
