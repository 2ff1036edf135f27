import Signals

/// One subscription of a lane: waiting, running or terminated.
final class LaneTurn: SlotHolder {
  /// A closure that starts the signal, with the handle of the turn.
  typealias Start = @Sendable (LaneTurn) -> Void

  private enum Phase {
    case waiting(Start)
    case starting
    case running
    case over
  }

  /// The handle that stops the signal, also while it starts.
  let handle = Disposable()
  private let phase: Guarded<Phase>
  private let slots: SlotQueue<LaneTurn>?
  private let onReplaced: @Sendable () -> Void

  /// Creates a turn that waits.
  ///
  /// - Parameters:
  ///   - slots: the slots, of which it holds one while it runs; `nil` if the lane has none.
  ///   - onReplaced: ends the subscription when another one replaces it.
  ///   - start: starts the signal.
  init(
    in slots: SlotQueue<LaneTurn>? = nil, onReplaced: @escaping @Sendable () -> Void = {}, _ start: @escaping Start
  ) {
    self.slots = slots
    self.onReplaced = onReplaced
    phase = Guarded(.waiting(start))
  }

  var isTerminated: Bool { phase.withLock { if case .over = $0 { true } else { false } } }

  /// Starts the signal, unless the turn is over; returns whether the signal is running afterwards.
  @discardableResult
  func begin(hasWaited: Bool = false) -> Bool {
    let start = phase.withLock { phase -> Start? in
      guard case .waiting(let start) = phase else { return nil }
      phase = .starting
      return start
    }
    guard let start else { return false }
    start(self)
    return phase.withLock { phase in
      guard case .starting = phase else { return false }
      phase = .running
      return true
    }
  }

  /// Stops the signal or its wait, and passes its slot on; further calls have no effect.
  func leave() {
    let before = phase.withLock { phase in
      let before = phase
      phase = .over
      return before
    }
    if case .over = before { return }
    handle.dispose()
    // While the signal is starting, the caller of `begin` passes the slot on.
    if case .running = before { slots?.pass() }
  }

  /// Stops the signal or its wait, then ends the subscription.
  func replace() {
    leave()
    onReplaced()
  }
}
