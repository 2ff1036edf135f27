import Synchronization

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
  private let hasMissedTick = Atomic<Bool>(false)

  var isDisposed: Bool { state.withLock { $0.isDisposed } }

  /// Runs a tick inside a gate, or only records it if a thread is inside; that thread is usually not the scheduler's,
  /// so it must not deliver what the tick delivers.
  func tick(in gate: Gate<some Sendable, some Error>, _ work: () -> Void) {
    if gate.enter() {
      work()
      gate.leave()
    } else {
      gate.enqueue { self.hasMissedTick.store(true, ordering: .relaxed) }
    }
  }

  /// Returns whether a tick was missed, and must therefore be scheduled again; called after leaving the gate.
  ///
  /// Outside the gate, because a scheduler that runs work before `schedule` returns would otherwise miss it again.
  func takeMissedTick() -> Bool {
    hasMissedTick.load(ordering: .relaxed) && hasMissedTick.exchange(false, ordering: .relaxed)
  }

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

/// A subscription that is queued on a scheduler and not yet started.
final class ScheduledStart<Value: Sendable, Failure: Error>: Disposing {
  private struct Work: Sendable {
    let signal: Signal<Value, Failure>
    let downstream: Downstream<Value, Failure>
  }

  private let source = Disposable()
  private let work: Guarded<Work?>

  init(
    _ signal: Signal<Value, Failure>, _ downstream: Downstream<Value, Failure>, on scheduler: any SignalScheduler
  ) {
    work = Guarded(Work(signal: signal, downstream: downstream.continuing(on: scheduler, scope: source)))
  }

  var isDisposed: Bool { source.isCancelled }

  func run() {
    guard let work = work.withLock({ $0.take() }) else { return }
    work.signal.run(in: work.downstream)
  }

  func dispose() {
    work.discardWithLock { $0.take() }
    source.dispose()
  }
}
