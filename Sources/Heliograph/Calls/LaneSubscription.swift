import Signals

/// One subscription in a lane: waiting, running or terminated.
final class LaneSubscription: SlotHolder {
  typealias Start = @Sendable (LaneSubscription) -> Void

  /// The handle that stops the signal, also while it starts.
  let handle = Disposable()
  private let phase: Guarded<SlotPhase<Start>>
  private let slots: SlotQueue<LaneSubscription>?
  private let onReplaced: @Sendable () -> Void

  /// Creates a waiting subscription; `onReplaced` ends it when another one replaces it.
  init(
    in slots: SlotQueue<LaneSubscription>? = nil, onReplaced: @escaping @Sendable () -> Void = {},
    _ start: @escaping Start
  ) {
    self.slots = slots
    self.onReplaced = onReplaced
    phase = Guarded(.waiting(start))
  }

  var isTerminated: Bool { phase.withLock { $0.isTerminated } }

  /// Starts the signal, unless the subscription has terminated; returns whether the signal is running afterwards.
  @discardableResult
  func begin(hasWaited: Bool = false) -> Bool {
    guard let start = phase.withLock({ $0.takeWork(.starting) }) else { return false }
    start(self)
    return phase.withLock { $0.finishStart() }
  }

  /// Stops the signal or its wait, and passes its slot on; further calls have no effect.
  func leave() {
    let before = phase.withLock { $0.terminate() }
    if before.isTerminated { return }
    handle.dispose()
    if case .running = before { slots?.releaseSlot() }
  }

  func replace() {
    leave()
    onReplaced()
  }
}
