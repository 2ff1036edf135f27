/// A priority queue of elements: the earliest first, those of the same instant in the order of their addition.
///
/// A binary heap in which each element can be found by its key. Adding and removing are O(log n), and a removed element
/// leaves nothing behind.
package struct TimerQueue<Instant: Comparable & Sendable, Element: Sendable>: Sendable {
  /// Identifies an element; it is invalid once the element has been taken or removed.
  package struct Key: Sendable {
    fileprivate let slot: Int
    fileprivate let number: UInt64
  }

  private struct Entry: Sendable {
    let instant: Instant
    let key: Key

    func precedes(_ other: Entry) -> Bool {
      instant < other.instant || (instant == other.instant && key.number < other.key.number)
    }
  }

  /// An element apart from its entry: moving an entry in the heap counts no references.
  private struct Slot: Sendable {
    var element: Element?
    var position: Int
  }

  private var heap: [Entry] = []
  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  /// The number of elements added so far: 64 bits, also on watches.
  package private(set) var addedCount: UInt64 = 0

  package init() {}

  package var count: Int { heap.count }
  /// The earliest instant; `nil` if the queue is empty.
  package var earliest: Instant? { heap.first?.instant }

  @discardableResult
  package mutating func add(_ element: Element, at instant: Instant) -> Key {
    addedCount += 1
    let slot = Slot(element: element, position: heap.count)
    let key = Key(slot: freeSlots.popLast() ?? slots.count, number: addedCount)
    if key.slot == slots.count { slots.append(slot) } else { slots[key.slot] = slot }
    let entry = Entry(instant: instant, key: key)
    heap.append(entry)
    place(entry, from: heap.count - 1)
    return key
  }

  /// Removes and returns an element; `nil` if it has been taken or removed before.
  package mutating func remove(_ key: Key) -> Element? {
    guard slots.indices.contains(key.slot) else { return nil }
    let position = slots[key.slot].position
    guard heap.indices.contains(position), heap[position].key.number == key.number else { return nil }
    return remove(at: position)
  }

  package mutating func takeDue(at now: Instant) -> Element? {
    guard let earliest, earliest <= now else { return nil }
    return remove(at: 0)
  }

  private mutating func remove(at position: Int) -> Element? {
    let slot = heap[position].key.slot
    let last = heap.removeLast()
    if position < heap.count { place(last, from: position) }
    let element = slots[slot].element.take()
    freeSlots.append(slot)
    // The capacity of many elements is not kept for few.
    if heap.isEmpty, slots.count > 64 { (heap, slots, freeSlots) = ([], [], []) }
    return element
  }

  /// Stores an entry where the order of the heap requires it, beginning at a position whose entry may be overwritten.
  private mutating func place(_ entry: Entry, from start: Int) {
    var position = start
    while position > 0, entry.precedes(heap[(position - 1) / 2]) {
      set(heap[(position - 1) / 2], at: position)
      position = (position - 1) / 2
    }
    while let child = earlierChild(of: position), heap[child].precedes(entry) {
      set(heap[child], at: position)
      position = child
    }
    set(entry, at: position)
  }

  private func earlierChild(of position: Int) -> Int? {
    let (left, right) = (2 * position + 1, 2 * position + 2)
    if right < heap.count, heap[right].precedes(heap[left]) { return right }
    return left < heap.count ? left : nil
  }

  private mutating func set(_ entry: Entry, at position: Int) {
    heap[position] = entry
    slots[entry.key.slot].position = position
  }
}
