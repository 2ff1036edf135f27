/// A dictionary of entries in the order of their use; every operation takes constant time.
struct RecencyList<Value: Sendable>: Sendable {
  private struct Slot {
    var name: EntryName
    var value: Value?
  }

  private struct Links {
    var newer: UInt32
    var older: UInt32
  }

  private static var none: UInt32 { .max }

  private var indices: [EntryName: UInt32] = [:]
  private var slots: [Slot] = []
  /// The neighbors of each slot in the order of use, stored apart from the slots, because each move changes three of
  /// them.
  private var links: [Links] = []
  private var newest = none
  private var oldest = none
  /// The first free slot; further ones are linked by `older`.
  private var free = none

  var count: Int { indices.count }

  /// The names from the most recently to the least recently used one.
  var names: [EntryName] {
    var names: [EntryName] = []
    names.reserveCapacity(count)
    var slot = newest
    while slot != Self.none {
      names.append(slots[Int(slot)].name)
      slot = links[Int(slot)].older
    }
    return names
  }

  /// Returns the value of an entry and makes it the most recently used one.
  mutating func use(_ name: EntryName) -> Value? {
    guard let slot = indices[name] else { return nil }
    moveToFront(slot)
    return slots[Int(slot)].value
  }

  /// Sets the value of an entry, makes it the most recently used one and returns the previous value.
  @discardableResult
  mutating func insert(_ value: Value, for name: EntryName) -> Value? {
    if let slot = indices[name] {
      moveToFront(slot)
      defer { slots[Int(slot)].value = value }
      return slots[Int(slot)].value
    }
    let slot = makeSlot(Slot(name: name, value: value))
    indices[name] = slot
    attach(slot)
    return nil
  }

  /// Removes an entry and returns its value.
  @discardableResult
  mutating func remove(_ name: EntryName) -> Value? {
    guard let slot = indices.removeValue(forKey: name) else { return nil }
    detach(slot)
    links[Int(slot)].older = free
    free = slot
    return slots[Int(slot)].value.take()
  }

  mutating func removeOldest() -> (name: EntryName, value: Value)? {
    guard oldest != Self.none else { return nil }
    let name = slots[Int(oldest)].name
    return remove(name).map { (name, $0) }
  }

  private mutating func makeSlot(_ slot: Slot) -> UInt32 {
    guard free != Self.none else {
      slots.append(slot)
      links.append(Links(newer: Self.none, older: Self.none))
      return UInt32(slots.count - 1)
    }
    let index = free
    free = links[Int(index)].older
    slots[Int(index)] = slot
    return index
  }

  private mutating func moveToFront(_ slot: UInt32) {
    guard slot != newest else { return }
    detach(slot)
    attach(slot)
  }

  private mutating func attach(_ slot: UInt32) {
    links[Int(slot)] = Links(newer: Self.none, older: newest)
    if newest != Self.none { links[Int(newest)].newer = slot } else { oldest = slot }
    newest = slot
  }

  private mutating func detach(_ slot: UInt32) {
    let (newer, older) = (links[Int(slot)].newer, links[Int(slot)].older)
    if newer != Self.none { links[Int(newer)].older = older } else { newest = older }
    if older != Self.none { links[Int(older)].newer = newer } else { oldest = newer }
  }
}
