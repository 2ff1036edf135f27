import Signals

/// A store in memory with a limit on the cost of its values; the least recently used ones are evicted first.
///
/// Every operation except `removeAll` takes constant time, plus constant time for each evicted value. Safe on any
/// thread.
package final class MemoryStore<Value: Sendable>: Sendable {
  private struct Item {
    let value: Value
    let cost: Int
  }

  /// The reads in progress of one value.
  private struct Reads {
    var count = 0
    /// Whether the value was stored or removed after the first of these reads began.
    var areStale = false
  }

  /// Values to deallocate after the lock is released, because a deinit may call out.
  private struct Dropped {
    var previous: Item?
    var evicted: [(name: EntryName, value: Item)] = []
  }

  private struct Contents {
    var list = RecencyList<Item>()
    var cost = 0
    var reads: [EntryName: Reads] = [:]

    mutating func insert(_ item: Item, for name: EntryName, upTo capacity: Int) -> Dropped {
      if item.cost > capacity / 4 { return Dropped(previous: remove(name)) }
      var dropped = Dropped(previous: list.insert(item, for: name))
      cost += item.cost - (dropped.previous?.cost ?? 0)
      while cost > capacity, let oldest = list.removeOldest() {
        cost -= oldest.value.cost
        dropped.evicted.append(oldest)
      }
      return dropped
    }

    mutating func remove(_ name: EntryName) -> Item? {
      let previous = list.remove(name)
      cost -= previous?.cost ?? 0
      return previous
    }

    mutating func markStale(_ name: EntryName) {
      if !reads.isEmpty { reads[name]?.areStale = true }
    }

    /// Ends a read and returns whether its value may be stored.
    mutating func endRead(of name: EntryName) -> Bool {
      guard var reads = reads[name] else { return false }
      reads.count -= 1
      self.reads[name] = reads.count > 0 ? reads : nil
      return !reads.areStale
    }
  }

  private let capacity: Int
  private let contents = Guarded(Contents())

  /// Creates an empty store; `capacity` is the maximum of the sum of all costs.
  package init(capacity: Int) { self.capacity = max(capacity, 0) }

  package var count: Int { contents.withLock { $0.list.count } }

  /// Returns a value and makes it the most recently used one.
  package func value(for name: EntryName) -> Value? {
    contents.withLock { $0.list.use(name)?.value }
  }

  /// Returns a value that meets a condition; if there is none, stores and returns another one, with a cost of 1.
  func value(for name: EntryName, orInsert new: Value, _ isUsable: (Value) -> Bool) -> Value {
    let (value, dropped) = contents.withLock { contents -> (Value, Dropped) in
      if let value = contents.list.use(name)?.value, isUsable(value) { return (value, Dropped()) }
      return (new, contents.insert(Item(value: new, cost: 1), for: name, upTo: capacity))
    }
    return withExtendedLifetime(dropped) { value }
  }

  /// Returns a value like `value(for:)`; if there is none, the caller must read the value itself and call `endRead`.
  package func valueOrBeginRead(of name: EntryName) -> Value? {
    contents.withLock { contents in
      if let value = contents.list.use(name)?.value { return value }
      contents.reads[name, default: Reads()].count += 1
      return nil
    }
  }

  /// Ends a read, and stores its value unless the value has been stored or removed since the read began; it returns the
  /// names of the values that were evicted for it, least recently used first.
  @discardableResult
  package func endRead(of name: EntryName, _ value: Value?, cost: Int) -> [EntryName] {
    let dropped = contents.withLock { contents in
      guard contents.endRead(of: name), let value else { return Dropped() }
      return contents.insert(Item(value: value, cost: max(cost, 0)), for: name, upTo: capacity)
    }
    return withExtendedLifetime(dropped) { dropped.evicted.map(\.name) }
  }

  /// Stores a value as the most recently used one; returns the names of those evicted for it, least recently used
  /// first.
  ///
  /// A value whose cost exceeds a quarter of the capacity only removes the previous one.
  @discardableResult
  package func insert(_ value: Value, cost: Int, for name: EntryName) -> [EntryName] {
    let dropped = contents.withLock { contents in
      contents.markStale(name)
      return contents.insert(Item(value: value, cost: max(cost, 0)), for: name, upTo: capacity)
    }
    return withExtendedLifetime(dropped) { dropped.evicted.map(\.name) }
  }

  package func remove(_ name: EntryName) {
    contents.discardWithLock { contents in
      contents.markStale(name)
      return contents.remove(name)
    }
  }

  /// Removes the values whose names meet a condition, which is called without a lock.
  package func removeAll(where isRemoved: (EntryName) -> Bool) {
    let names = contents.withLock { $0.list.names + $0.reads.keys }
    for name in names where isRemoved(name) { remove(name) }
  }
}
