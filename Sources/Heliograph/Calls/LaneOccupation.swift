import Signals

/// The running signal of an exclusive lane, and the number of its subscriptions.
final class LaneOccupation: Sendable {
  final class Run: Sendable {}

  private struct State {
    var run: Run?
    /// The signal for further subscriptions; `nil` if there are none.
    var shared: (any Sendable)?
    var subscriptionCount = 0
  }

  private let state = Guarded(State())

  /// Occupies the lane, or joins a running signal of the same type; returns `nil` if the lane is occupied.
  func enter<Value, Failure>(
    _ signal: Signal<Value, Failure>, joins: Bool
  ) -> (run: Run, signal: Signal<Value, Failure>)? {
    let fresh = Run()
    let shared = joins ? signal.replayLazily() : signal
    return state.withLock { state -> (run: Run, signal: Signal<Value, Failure>)? in
      if let run = state.run {
        guard let running = state.shared as? Signal<Value, Failure> else { return nil }
        state.subscriptionCount += 1
        return (run, running)
      }
      state = State(run: fresh, shared: joins ? shared : nil, subscriptionCount: 1)
      return (fresh, shared)
    }
  }

  /// Frees the lane, because the signal has terminated.
  func end(_ run: Run) {
    let before = state.withLock { state -> State? in
      guard state.run === run else { return nil }
      defer { state = State() }
      return state
    }
    withExtendedLifetime(before) {}
  }

  /// Frees the lane after the last subscription of a run was disposed.
  ///
  /// Called after the disposal, so that no two runs overlap.
  func leave(_ run: Run) {
    let before = state.withLock { state -> State? in
      guard state.run === run else { return nil }
      state.subscriptionCount -= 1
      if state.subscriptionCount > 0 { return nil }
      defer { state = State() }
      return state
    }
    withExtendedLifetime(before) {}
  }
}
