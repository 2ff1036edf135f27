import Signals

/// The running signal of an exclusive lane, and the number of its subscriptions.
final class LaneOccupation: Sendable {
  final class Run: Sendable {}

  private struct State {
    var run: Run?
    /// The signal for further subscriptions; `nil` if there are none.
    var shared: (any Sendable)?
    /// The signal that the shared one subscribes to: the newest, because an earlier one may have been cancelled while a
    /// further subscription joined it.
    var newest: (any Sendable)?
    var subscriptionCount = 0
  }

  private let state = Guarded(State())

  /// Occupies the lane, or joins a running signal of the same type; returns `nil` if the lane is occupied.
  ///
  /// A joined signal is delivered on the scheduler, if there is one: its former events would otherwise be delivered by
  /// the subscribing thread.
  func enter<Value, Failure>(
    _ signal: Signal<Value, Failure>, joins: Bool, on scheduler: (any SignalScheduler)?
  ) -> (run: Run, signal: Signal<Value, Failure>)? {
    let fresh = Run()
    let shared = joins ? Signal.deferred { [weak self] in self?.newest(in: fresh) ?? signal }.replayLazily() : signal
    // Freed outside the lock.
    var former: (any Sendable)?
    defer { withExtendedLifetime(former) {} }
    return state.withLock { state -> (run: Run, signal: Signal<Value, Failure>)? in
      if let run = state.run {
        guard let running = state.shared as? Signal<Value, Failure> else { return nil }
        state.subscriptionCount += 1
        (former, state.newest) = (state.newest, signal)
        return (run, scheduler.map { running.observe(on: $0) } ?? running)
      }
      state = State(run: fresh, shared: joins ? shared : nil, newest: joins ? signal : nil, subscriptionCount: 1)
      return (fresh, shared)
    }
  }

  private func newest<Value, Failure>(in run: Run) -> Signal<Value, Failure>? {
    state.withLock { $0.run === run ? $0.newest as? Signal<Value, Failure> : nil }
  }

  /// Ends a subscription of a run, and frees the lane after the last one, or if the signal has terminated.
  ///
  /// Called after a disposal, so that no two runs overlap.
  func leave(_ run: Run, isEnded: Bool = false) {
    state.discardWithLock { state -> State? in
      guard state.run === run else { return nil }
      state.subscriptionCount -= 1
      if state.subscriptionCount > 0, !isEnded { return nil }
      defer { state = State() }
      return state
    }
  }
}

/// One subscription in a lane with a queue: waiting, running or terminated.
final class LaneSubscription: SlotHolder {
  typealias Start = @Sendable (LaneSubscription) -> Void

  /// The handle that stops the signal, also while it starts.
  let handle = Disposable()
  private let phase: Guarded<SlotPhase<Start>>
  private let slots: SlotQueue<LaneSubscription>

  /// Creates a waiting subscription.
  init(in slots: SlotQueue<LaneSubscription>, _ start: @escaping Start) {
    self.slots = slots
    phase = Guarded(.waiting(start))
  }

  var isTerminated: Bool { phase.withLock { $0.isTerminated } }

  /// Starts the signal, unless the subscription has terminated; returns whether the signal is running afterwards.
  func begin(hasWaited: Bool) -> Bool {
    guard let start = phase.withLock({ $0.takeWork(.starting) }) else { return false }
    start(self)
    return phase.withLock { $0.finishStart() }
  }

  /// Stops the signal or its wait, and passes its slot on; further calls have no effect.
  func leave() {
    let before = phase.withLock { $0.terminate() }
    if before.isTerminated { return }
    handle.dispose()
    if case .running = before { slots.releaseSlot() }
  }
}
