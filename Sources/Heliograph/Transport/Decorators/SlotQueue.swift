import Signals

/// An element that runs while it holds a slot of a ``SlotQueue``.
protocol SlotHolder: Queued, Sendable {
  /// Starts the element.
  ///
  /// - Parameter hasWaited: Whether it was queued before.
  /// - Returns: Whether it still needs its slot afterwards.
  func begin(hasWaited: Bool) -> Bool
}

/// The phase of an element of a ``SlotQueue``, with the work that starts it.
enum SlotPhase<Work: Sendable>: Sendable {
  case waiting(Work)
  /// The element has a slot and is being started; it may end while it is started.
  case starting
  case running
  case terminated

  var isTerminated: Bool { if case .terminated = self { true } else { false } }

  /// Takes the work of a waiting element and enters another phase; `nil` if it is not waiting.
  mutating func takeWork(_ nextPhase: SlotPhase) -> Work? {
    guard case .waiting(let work) = self else { return nil }
    self = nextPhase
    return work
  }

  /// Marks a started element as running; returns whether it still needs its slot.
  mutating func finishStart() -> Bool {
    guard case .starting = self else { return false }
    self = .running
    return true
  }

  /// Ends the element; returns its previous phase.
  ///
  /// A running element releases its slot itself; the slot of a starting one is released by the caller of `begin`.
  mutating func terminate() -> SlotPhase {
    defer { self = .terminated }
    return self
  }
}

/// A limited number of slots, and the queue of the elements that wait for one.
///
/// An element that no longer needs its slot calls ``releaseSlot()``, once.
final class SlotQueue<Holder: SlotHolder>: Sendable {
  private struct State {
    /// The number of free slots, above zero only while the queue is empty.
    var freeCount: Int
    var waiting = PriorityQueue<Holder>()
  }

  private let state: Guarded<State>

  init(slotCount: Int) {
    state = Guarded(State(freeCount: slotCount))
  }

  /// Starts the element if there is a free slot, or else queues it.
  func join(_ holder: Holder, _ priority: RequestPriority) {
    let hasSlot = state.withLock { state in
      if state.freeCount == 0 {
        state.waiting.add(holder, priority)
        return false
      }
      state.freeCount -= 1
      return true
    }
    if hasSlot, !holder.begin(hasWaited: false) { releaseSlot() }
  }

  /// Gives a slot to the next queued element.
  ///
  /// It loops instead of recursing, because ten thousand elements may end at once.
  func releaseSlot() {
    while let holder = takeNext() {
      if holder.begin(hasWaited: true) { return }
    }
  }

  private func takeNext() -> Holder? {
    state.withLock { state in
      let holder = state.waiting.popFirst()
      if holder == nil { state.freeCount += 1 }
      return holder
    }
  }
}
