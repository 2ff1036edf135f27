import Signals

/// A store in memory with a limit on the cost of its values; the least recently used ones are evicted first.
///
/// Every operation but `removeAll` takes constant time for each value that it removes. Safe on any thread.
package final class MemoryStore<Value: Sendable>: Sendable {
  private struct Item {
    let value: Value
    let cost: Int
  }

  private struct Contents {
    var list = RecencyList<Item>()
    var cost = 0
  }

  private let capacity: Int
  private let contents: Guarded<Contents>

  /// Creates an empty store.
  ///
  /// - Parameter capacity: the maximum of the sum of all costs.
  package init(capacity: Int) {
    self.capacity = max(capacity, 0)
    contents = Guarded(Contents())
  }

  /// The sum of all costs.
  package var byteCount: Int { contents.withLock { $0.cost } }

  /// The number of values.
  package var count: Int { contents.withLock { $0.list.count } }

  /// Returns a value and makes it the most recently used one.
  package func value(for name: EntryName) -> Value? {
    contents.withLock { $0.list.use(name)?.value }
  }

  /// Stores a value, in place of a former one of the same name, and makes it the most recently used one.
  ///
  /// A value whose cost exceeds a quarter of the capacity is not kept. The former one is removed all the same.
  ///
  /// - Returns: the names of the values that were evicted for it, least recently used first.
  @discardableResult
  package func insert(_ value: Value, cost: Int, for name: EntryName) -> [EntryName] {
    let item = Item(value: value, cost: max(cost, 0))
    guard item.cost <= capacity / 4 else {
      remove(name)
      return []
    }
    // Values are deallocated after the lock is released: this may call out.
    let (former, evicted) = contents.withLock { contents in
      let former = contents.list.insert(item, for: name)
      contents.cost += item.cost - (former?.cost ?? 0)
      var evicted: [(name: EntryName, value: Item)] = []
      while contents.cost > capacity, let oldest = contents.list.removeOldest() {
        contents.cost -= oldest.value.cost
        evicted.append(oldest)
      }
      return (former, evicted)
    }
    return withExtendedLifetime(former) { evicted.map(\.name) }
  }

  /// Removes a value.
  package func remove(_ name: EntryName) {
    let former = contents.withLock { contents in
      let former = contents.list.remove(name)
      contents.cost -= former?.cost ?? 0
      return former
    }
    withExtendedLifetime(former) {}
  }

  /// Removes the values whose names meet a condition, which is called without a lock.
  package func removeAll(where isRemoved: (EntryName) -> Bool) {
    let names = contents.withLock { $0.list.names }
    for name in names where isRemoved(name) { remove(name) }
  }
}
