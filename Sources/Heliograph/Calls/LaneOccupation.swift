import Signals

/// The running signal of an exclusive lane, and the number of its subscriptions.
final class LaneOccupation: Sendable {
  /// A subscription of a run, by its number.
  struct Entry: Sendable {
    let run: Int
    let number: Int
  }

  private struct State {
    /// The number of the first subscription of the run; `nil` if the lane is free.
    var run: Int?
    /// The signal for further subscriptions; `nil` if there are none.
    var shared: (any Sendable)?
    /// The subscriptions with their signals, which the shared one subscribes to: the newest, because an earlier one may
    /// have been cancelled while a further subscription joined it.
    var entries: [(number: Int, signal: any Sendable)] = []
    var lastNumber = 0
  }

  private let state = Guarded(State())

  /// Occupies the lane, or joins a running signal of the same type; returns `nil` if the lane is occupied.
  ///
  /// A joined signal is delivered on the scheduler, if there is one: its former events would otherwise be delivered by
  /// the subscribing thread.
  func enter<Value, Failure>(
    _ signal: Signal<Value, Failure>, joins: Bool, on scheduler: (any SignalScheduler)?
  ) -> (entry: Entry, signal: Signal<Value, Failure>)? {
    state.withLock { state -> (entry: Entry, signal: Signal<Value, Failure>)? in
      let running = state.shared as? Signal<Value, Failure>
      if state.run != nil, running == nil { return nil }
      state.lastNumber += 1
      let number = state.lastNumber
      state.entries.append((number, signal))
      if let run = state.run, let running {
        let entry = Entry(run: run, number: number)
        return (entry, (scheduler.map { running.observe(on: $0) } ?? running).watched(by: LaneRun(self, entry)))
      }
      state.run = number
      let entry = Entry(run: number, number: number)
      let watcher = LaneRun<Value, Failure>(self, entry)
      if !joins { return (entry, signal.watched(by: watcher)) }
      let shared = Signal.deferred { [weak self] in self?.newest(in: number) ?? signal }.replayLazily()
      state.shared = shared
      // Behind the shared signal, which must have ended before the run does: it would start again for one who joins.
      return (entry, shared.watched(by: watcher))
    }
  }

  private func newest<Value, Failure>(in run: Int) -> Signal<Value, Failure>? {
    state.withLock { $0.run == run ? $0.entries.last?.signal as? Signal<Value, Failure> : nil }
  }

  /// Ends a subscription of a run, and frees the lane after the last one, or if the signal has terminated; further
  /// calls have no effect.
  ///
  /// Called after a disposal, so that no two runs overlap.
  func leave(_ entry: Entry, isEnded: Bool = false) {
    state.discardWithLock { state -> [Any] in
      guard state.run == entry.run else { return [] }
      let left = state.entries.firstIndex { $0.number == entry.number }.map { state.entries.remove(at: $0).signal }
      if !state.entries.isEmpty, !isEnded { return [left as Any] }
      defer { state = State(lastNumber: state.lastNumber) }
      return [left as Any, state]
    }
  }
}

/// The run of a signal, at whose end the lane is free before its last value or its terminal event is delivered: their
/// handlers, or a task that they resume, may use the lane again.
private final class LaneRun<Value: Sendable, Failure: Error>: StageWatcher {
  private let end: @Sendable () -> Void

  init(_ occupation: LaneOccupation, _ entry: LaneOccupation.Entry) {
    // Weak, because the occupation retains the shared signal.
    end = { [weak occupation] in occupation?.leave(entry, isEnded: true) }
  }

  func start() {}

  func pass(_ value: Value) -> Value? { nil }

  func pass(failure: Failure) -> Failure {
    end()
    return failure
  }

  func complete() { end() }

  func dispose() {}
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
