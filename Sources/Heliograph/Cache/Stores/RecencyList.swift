/// A dictionary of entries in the order of their use; every operation takes constant time.
///
/// It has a hash table of its own, with open addressing and small numbers in place of keys, as a look-up among many
/// entries takes as long as the memory that it touches. The table's hash is random, so that no caller can choose names
/// that collide.
struct RecencyList<Value> {
  fileprivate struct Slot {
    var name: EntryName
    var value: Value?
  }

  private struct Links {
    var newer: UInt32
    var older: UInt32
  }

  private static var none: UInt32 { .max }

  private var slots: [Slot] = []
  /// The neighbors of each slot in the order of use, apart from the slots: three are changed in each move.
  private var links: [Links] = []
  /// The slots by the hash of their names: a power of two of them, at most half in use.
  private var buckets = [UInt32](repeating: none, count: 16)
  private var newest = none
  private var oldest = none
  /// The first free slot; the others follow by `older`.
  private var free = none
  private let multiplier = UInt64.random(in: .min ... .max) | 1
  /// The number of entries.
  private(set) var count = 0

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

  /// Returns the value of an entry without using it.
  func peek(_ name: EntryName) -> Value? {
    find(name).flatMap { slots[Int($0.slot)].value }
  }

  /// Returns the value of an entry and makes it the most recently used one.
  mutating func use(_ name: EntryName) -> Value? {
    guard let slot = find(name)?.slot else { return nil }
    moveToFront(slot)
    return slots[Int(slot)].value
  }

  /// Sets the value of an entry and makes it the most recently used one.
  ///
  /// - Returns: the former value.
  @discardableResult
  mutating func insert(_ value: Value, for name: EntryName) -> Value? {
    if let slot = find(name)?.slot {
      moveToFront(slot)
      let former = slots[Int(slot)].value
      slots[Int(slot)].value = value
      return former
    }
    if (count + 1) * 2 > buckets.count { grow() }
    let slot = makeSlot(Slot(name: name, value: value))
    enter(slot)
    attach(slot)
    count += 1
    return nil
  }

  /// Removes an entry.
  ///
  /// - Returns: its value.
  @discardableResult
  mutating func remove(_ name: EntryName) -> Value? {
    guard let (bucket, slot) = find(name) else { return nil }
    empty(bucket)
    detach(slot)
    links[Int(slot)].older = free
    free = slot
    count -= 1
    let value = slots[Int(slot)].value
    slots[Int(slot)].value = nil
    return value
  }

  /// Removes the least recently used entry.
  mutating func removeOldest() -> (name: EntryName, value: Value)? {
    guard oldest != Self.none else { return nil }
    let name = slots[Int(oldest)].name
    return remove(name).map { (name, $0) }
  }
}

// The order of use.
extension RecencyList {
  private mutating func makeSlot(_ slot: Slot) -> UInt32 {
    guard free != Self.none else {
      slots.append(slot)
      links.append(Links(newer: Self.none, older: Self.none))
      return UInt32(slots.count - 1)
    }
    let place = free
    free = links[Int(place)].older
    slots[Int(place)] = slot
    return place
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

// The hash table.
extension RecencyList {
  /// The bucket where the search for a name starts.
  private func home(of name: EntryName) -> Int {
    let hash = (name.keyLow ^ (name.keyHigh &<< 32 | name.keyHigh &>> 32)) &* multiplier
    return Int(truncatingIfNeeded: hash >> 32) & (buckets.count - 1)
  }

  private func find(_ name: EntryName) -> (bucket: Int, slot: UInt32)? {
    var bucket = home(of: name)
    while buckets[bucket] != Self.none {
      let slot = buckets[bucket]
      if slots[Int(slot)].name == name { return (bucket, slot) }
      bucket = (bucket + 1) & (buckets.count - 1)
    }
    return nil
  }

  private mutating func enter(_ slot: UInt32) {
    var bucket = home(of: slots[Int(slot)].name)
    while buckets[bucket] != Self.none { bucket = (bucket + 1) & (buckets.count - 1) }
    buckets[bucket] = slot
  }

  /// Empties a bucket and moves those behind it forward that the search would no longer find.
  private mutating func empty(_ bucket: Int) {
    let mask = buckets.count - 1
    var hole = bucket
    var next = (hole + 1) & mask
    while buckets[next] != Self.none {
      let home = home(of: slots[Int(buckets[next])].name)
      if (next - home) & mask >= (next - hole) & mask {
        buckets[hole] = buckets[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    buckets[hole] = Self.none
  }

  private mutating func grow() {
    buckets = [UInt32](repeating: Self.none, count: buckets.count * 2)
    var slot = newest
    while slot != Self.none {
      enter(slot)
      slot = links[Int(slot)].older
    }
  }
}

extension RecencyList: Sendable where Value: Sendable {}

extension RecencyList.Slot: Sendable where Value: Sendable {}
