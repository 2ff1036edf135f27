public import Synchronization

/// Lets one thread deliver at a time and keeps what others send meanwhile, in order; nobody waits, nothing is locked.
///
/// One word holds the state: idle, busy, closed, or a pointer to the newest of the items that arrived while a
/// delivery was under way (a Treiber stack, turned round when it is taken). Whoever finds the gate idle delivers
/// its own item and then what has gathered; whoever finds it busy, on the same thread or another, leaves its item
/// and goes. So re-entrant sends neither recurse nor deadlock, and items of one thread keep their order.
@usableFromInline
struct Gate<Item: Sendable>: ~Copyable, Sendable {
  @usableFromInline let state = Atomic<UInt>(0)

  @inlinable init() {}

  deinit {
    let rest = state.load(ordering: .acquiring)
    if rest > GateState.closed { Node<Item>.discard(rest) }
  }

  @inlinable var isIdle: Bool { state.load(ordering: .acquiring) == GateState.idle }
  @inlinable var isClosed: Bool { state.load(ordering: .acquiring) == GateState.closed }

  /// Enters an idle gate and returns `true`: deliver, then call `leave`. Otherwise keeps the item, or drops it when
  /// the gate is closed, and returns `false`.
  @inlinable
  func enter(orKeep item: @autoclosure () -> Item) -> Bool {
    if state.compareExchange(expected: GateState.idle, desired: GateState.busy, ordering: .acquiring).exchanged {
      return true
    }
    return keep(item())
  }

  @usableFromInline
  func keep(_ item: Item) -> Bool {
    var node: Node<Item>?
    var seen = state.load(ordering: .acquiring)
    while true {
      switch seen {
      case GateState.closed:
        return false
      case GateState.idle:
        let (entered, now) = state.weakCompareExchange(
          expected: GateState.idle, desired: GateState.busy, ordering: .acquiring)
        if entered { return true }
        seen = now
      default:
        let fresh = node ?? Node(item)
        node = fresh
        fresh.older = seen == GateState.busy ? 0 : seen
        let pointer = Unmanaged.passRetained(fresh)
        let bits = UInt(bitPattern: pointer.toOpaque())
        let (kept, now) = state.weakCompareExchange(expected: seen, desired: bits, ordering: .acquiringAndReleasing)
        if kept { return false }
        pointer.release()
        seen = now
      }
    }
  }

  /// Delivers what gathered meanwhile, then makes the gate idle; returns `false` if it was closed instead.
  @inlinable
  @discardableResult
  func leave(_ deliver: (Item) -> Void) -> Bool {
    if state.compareExchange(expected: GateState.busy, desired: GateState.idle, ordering: .releasing).exchanged {
      return true
    }
    return drain(deliver)
  }

  @usableFromInline
  func drain(_ deliver: (Item) -> Void) -> Bool {
    while true {
      let seen = state.load(ordering: .acquiring)
      if seen == GateState.closed { return false }
      if seen == GateState.busy {
        if state.compareExchange(expected: seen, desired: GateState.idle, ordering: .releasing).exchanged {
          return true
        }
        continue
      }
      guard state.compareExchange(expected: seen, desired: GateState.busy, ordering: .acquiringAndReleasing).exchanged
      else { continue }
      var rest = Node<Item>.reversed(seen)
      while let node = Node<Item>.take(&rest) {
        deliver(node.item)
        if isClosed {
          Node<Item>.discard(rest)
          return false
        }
      }
    }
  }

  /// Closes the gate for good and drops what had gathered; returns the state before.
  ///
  /// `GateState.idle` means that nobody was delivering, so that the caller may clean up; `GateState.closed`, that it
  /// was closed before; anything else, that the thread which delivers finds it closed when it leaves.
  @inlinable
  @discardableResult
  func close() -> UInt {
    let before = state.exchange(GateState.closed, ordering: .acquiringAndReleasing)
    if before > GateState.closed { Node<Item>.discard(before) }
    return before
  }
}

/// The words of a gate's state that are not pointers to nodes (which are aligned to 16 bytes).
@usableFromInline
enum GateState {
  @inlinable static var idle: UInt { 0 }
  @inlinable static var busy: UInt { 1 }
  @inlinable static var closed: UInt { 2 }
}
