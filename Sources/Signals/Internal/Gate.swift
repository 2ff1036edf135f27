public import Synchronization

/// Lets one thread deliver at a time and keeps what others send meanwhile, in order; nobody waits, nothing is locked.
///
/// One word holds the state: idle, busy, closed, or a pointer to the newest of the items that arrived while a
/// delivery was under way (a Treiber stack, turned round when it is taken). Whoever finds the gate idle delivers
/// its own item and then what has gathered; whoever finds it busy, on the same thread or another, leaves its item
/// and goes. So re-entrant sends neither recurse nor deadlock, and items of one thread keep their order.
///
/// It is not generic, and has no deinit, so that the classes that hold it need no type metadata to be made and freed:
/// items can wait only while a thread is inside, and that thread keeps the gate's owner alive.
@usableFromInline
struct Gate: ~Copyable, Sendable {
  @usableFromInline let state = Atomic<UInt>(0)

  @inlinable init() {}

  @inlinable static var idle: UInt { 0 }
  @inlinable static var busy: UInt { 1 }
  /// Greater words are pointers to nodes, which are aligned to 16 bytes.
  @inlinable static var closed: UInt { 2 }

  @inlinable var isIdle: Bool { state.load(ordering: .acquiring) == Gate.idle }
  @inlinable var isClosed: Bool { state.load(ordering: .acquiring) == Gate.closed }

  /// Enters an idle gate and returns `true`: deliver, then call `leave`.
  ///
  /// Otherwise keeps the item, or drops it when the gate is closed, and returns `false`.
  @inlinable
  func enter<Item: Sendable>(orKeep item: @autoclosure () -> Item) -> Bool {
    if state.compareExchange(expected: Gate.idle, desired: Gate.busy, ordering: .acquiring).exchanged { return true }
    return keep(item())
  }

  @inlinable
  func keep<Item: Sendable>(_ item: Item) -> Bool {
    var node: Node<Item>?
    var seen = state.load(ordering: .acquiring)
    while true {
      switch seen {
      case Gate.closed:
        return false
      case Gate.idle:
        let (entered, now) = state.weakCompareExchange(expected: Gate.idle, desired: Gate.busy, ordering: .acquiring)
        if entered { return true }
        seen = now
      default:
        let fresh = node ?? Node(item)
        node = fresh
        fresh.older = seen == Gate.busy ? 0 : seen
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
  func leave<Item: Sendable>(_ deliver: (Item) -> Void) -> Bool {
    if state.compareExchange(expected: Gate.busy, desired: Gate.idle, ordering: .releasing).exchanged { return true }
    return drain(deliver)
  }

  @inlinable
  func drain<Item: Sendable>(_ deliver: (Item) -> Void) -> Bool {
    while true {
      let seen = state.load(ordering: .acquiring)
      if seen == Gate.closed { return false }
      let wanted = seen == Gate.busy ? Gate.idle : Gate.busy
      guard state.compareExchange(expected: seen, desired: wanted, ordering: .acquiringAndReleasing).exchanged
      else { continue }
      if wanted == Gate.idle { return true }
      var rest = Link.reversed(seen)
      while let link = Link.take(&rest) {
        // All that wait at one gate are of one type.
        deliver(unsafeDowncast(link, to: Node<Item>.self).item)
        if isClosed {
          Link.discard(rest)
          return false
        }
      }
    }
  }

  /// Closes the gate for good and drops what had gathered; returns the state before.
  ///
  /// `Gate.idle` means that nobody was delivering, so that the caller may clean up; `Gate.closed`, that it was closed
  /// before; `Gate.busy`, that the thread which delivers finds it closed when it leaves.
  @inlinable
  @discardableResult
  func close() -> UInt {
    let before = state.exchange(Gate.closed, ordering: .acquiringAndReleasing)
    guard before > Gate.closed else { return before }
    Link.discard(before)
    return Gate.busy
  }
}
