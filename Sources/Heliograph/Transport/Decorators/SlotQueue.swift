import Signals

/// An element that runs while it holds a slot of a ``SlotQueue``.
protocol SlotHolder: Queued, Sendable {
  /// Starts the element, which may have waited in the queue; returns whether it still needs its slot afterwards.
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

/// A limited number of slots, and the queue of the elements that wait for one; an element that no longer needs its slot
/// calls ``releaseSlot()``, once.
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
  func releaseSlot() {
    // A loop instead of a recursion, because ten thousand elements may end at once.
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

/// An element of a queue that may be cancelled while it is queued.
protocol Queued {
  var isTerminated: Bool { get }
}

/// A queue by priority, first in, first out within a priority; amortized O(1) for each element.
struct PriorityQueue<Element: Queued> {
  fileprivate struct Level {
    var elements = FIFOQueue<Element>()
    /// The number of elements at which terminated ones are removed, so that a level that is never reached retains none.
    var cleanupCount = 64

    mutating func add(_ element: Element) {
      if elements.count >= cleanupCount {
        elements.removeAll(where: \.isTerminated)
        cleanupCount = max(64, elements.count * 2)
      }
      elements.append(element)
    }
  }

  /// One level for each priority, by its raw value.
  private var levels = RequestPriority.allCases.map { _ in Level() }

  var isEmpty: Bool { levels.allSatisfy(\.elements.isEmpty) }

  mutating func add(_ element: Element, _ priority: RequestPriority) { levels[priority.rawValue].add(element) }

  /// Removes and returns the next element, which may have terminated.
  mutating func popFirst() -> Element? {
    for level in levels.indices.reversed() where !levels[level].elements.isEmpty {
      return levels[level].elements.popFirst()
    }
    return nil
  }

  /// Returns the priority of the next element that has not terminated, and removes those before it.
  mutating func firstPriority() -> RequestPriority? {
    for level in levels.indices.reversed() {
      while levels[level].elements.first?.isTerminated == true { _ = levels[level].elements.popFirst() }
      if !levels[level].elements.isEmpty { return RequestPriority(rawValue: level) }
    }
    return nil
  }
}

extension PriorityQueue: Sendable where Element: Sendable {}
extension PriorityQueue.Level: Sendable where Element: Sendable {}
