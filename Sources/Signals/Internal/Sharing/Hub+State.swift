import Synchronization

extension Hub.State {
  /// Adds a subscriber, unless the source has terminated; `source` is the one to start after a disconnection.
  mutating func add(_ entry: Hub.Entry, _ source: Signal<Value, Failure>?) {
    guard ending?.isUnreachable ?? true else { return }
    nextNumber += 1
    entry.number.store(nextNumber, ordering: .relaxed)
    if ending != nil {
      waiting.insert(nextNumber)
      return
    }
    entries.append(entry)
    if entry.starts != nil { hasStarts = true }
    if isDisconnecting { nextSource = source }
  }

  /// Keeps the scope of an unreachable source until the last of its subscribers is removed.
  mutating func waitForDisposal(of entries: [Hub.Entry], _ connection: Connection<Value, Failure>?) {
    unreachable = connection?.scope
    waitingOwner = connection?.subscribersEnding
    for entry in entries where !entry.isRemoved.load(ordering: .relaxed) {
      waiting.insert(entry.number.load(ordering: .relaxed))
    }
  }

  /// Begins a disconnection and returns the previous contents, to free them outside the lock.
  mutating func disconnect() -> (ReplayBuffer<Value>, Connection<Value, Failure>?, Ending?) {
    defer {
      // Only an unreachable end can be set here.
      (unreachable, ending, waiting) = (nil, nil, [])
      isDisconnecting = true
    }
    return (resetReplay(), connection.take(), waitingOwner.take())
  }

  /// Empties the replay buffer and returns it, to free it outside the lock.
  mutating func resetReplay() -> ReplayBuffer<Value> {
    defer { replayed = ReplayBuffer(limit: replayed.limit) }
    return replayed
  }

  /// Removes an entry, which the caller retains; returns `nil` if it is not a subscriber, or entries to free outside the
  /// lock.
  ///
  /// An entry with many others after it is only marked: disposing thousands of subscribers in the order of their
  /// subscriptions would otherwise move all others each time. An entry with deferred starts is not marked, because
  /// deliveries hold them. Complexity: O(log n) on average.
  mutating func remove(_ entry: Hub.Entry) -> [Hub.Entry]? {
    if !waiting.isEmpty, waiting.remove(entry.number.load(ordering: .relaxed)) != nil { return [] }
    guard let index = index(of: entry), !entry.isRemoved.load(ordering: .relaxed) else {
      // Not on the list yet, or not any more.
      entry.isRemoved.store(true, ordering: .relaxed)
      return nil
    }
    if entries.count - index <= 64 || entry.starts != nil {
      entries.remove(at: index)
    } else {
      entry.isRemoved.store(true, ordering: .relaxed)
      removedCount += 1
    }
    return removedCount > 0 && removedCount * 2 >= entries.count ? compact() : []
  }

  /// Takes the removed entries off the list; returns the previous list, to free it outside the lock.
  @usableFromInline
  mutating func compact() -> [Hub.Entry] {
    let previous = entries
    entries = previous.filter { !$0.isRemoved.load(ordering: .relaxed) }
    removedCount = 0
    return previous
  }

  /// Returns the index of an entry in O(log n).
  func index(of entry: Hub.Entry) -> Int? {
    let number = entry.number.load(ordering: .relaxed)
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].number.load(ordering: .relaxed) < number { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && entries[low] === entry ? low : nil
  }
}
