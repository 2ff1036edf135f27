import Synchronization

/// Multicasts each event to all current subscribers and replays buffered values to late ones.
///
/// Its events come from method calls (`PublishSubject`, `CurrentValue`) or from one subscription to a source (`share`):
///
///     idle ──first subscriber──▶ connected ──last subscriber is disposed──▶ disconnecting ──▶ idle, or connected again
///                                    │ the source ends, but not by a deinit                  if there is a new subscriber
///                                    ▼
///                                  ended: every later subscriber gets the replayed values and the end
///
/// A connection that ends because an owner or a subject was deallocated counts as disposed, and so do its subscribers.
/// After an unreachable end, every later subscriber waits as for `never`.
///
/// Invariants:
/// 1. An event and its receivers are determined in one step under the lock, so that a subscriber gets each value either
///    replayed or live.
/// 2. The gate delivers in the order of those steps. No lock is held while a subscriber runs.
/// 3. The events of a connection are ignored unless it is the current one.
/// 4. The next connection starts after the previous one has been disposed.
@usableFromInline
final class Hub<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline typealias Entry = HubEntry<Value, Failure>

  @usableFromInline
  struct State {
    /// Sorted by number; includes removed entries until the next value.
    @usableFromInline var entries: [Entry] = []
    /// The number of removed entries in the list, less than half of it.
    @usableFromInline var removedCount = 0
    var nextNumber = 0
    @usableFromInline var replayed: ReplayBuffer<Value>
    @usableFromInline var version = 0
    @usableFromInline var ending: End<Value, Failure>?
    @usableFromInline var connection: Connection<Value, Failure>?
    var isDisconnecting = false
    /// Whether a thread is starting connections, and whether it must start another one afterwards.
    var isReconnecting = false
    var mustReconnect = false
    /// The source of a subscriber that waits until a disconnection has finished.
    var nextSource: Signal<Value, Failure>?
    /// Whether any entry has deferred starts.
    @usableFromInline var hasStarts = false
  }

  @usableFromInline let state: Guarded<State>
  @usableFromInline let gate = Gate<Value, Failure>()

  /// Creates a hub.
  ///
  /// - Parameters:
  ///   - replayCount: The number of values that a late subscriber receives. The buffer of a connection is cleared with
  ///     the connection.
  ///   - initial: The initial content of the replay buffer.
  @usableFromInline
  init(replaying replayCount: Int, _ initial: [Value] = []) {
    state = Guarded(State(replayed: ReplayBuffer(limit: replayCount, initial)))
  }

  /// Adds a subscriber and returns the connection to start, if it is the first subscriber.
  ///
  /// The hub does not retain the source: a subscription must not retain the objects whose deallocation ends the source.
  /// Without a source, the events come from method calls.
  @usableFromInline
  func add(
    _ downstream: Downstream<Value, Failure>, to source: Signal<Value, Failure>? = nil
  ) -> Connection<Value, Failure>? {
    let entry = Entry(downstream, self)
    downstream.scope.hold(entry)
    let (past, ending, connection) = state.withLock { state in
      if state.ending == nil {
        state.nextNumber += 1
        entry.number.store(state.nextNumber, ordering: .relaxed)
        state.entries.append(entry)
        if entry.starts != nil { state.hasStarts = true }
        if state.isDisconnecting { state.nextSource = source }
      }
      return (state.replayed, state.ending, source == nil ? nil : makeConnection(&state))
    }
    // Deferred as in `next`, because a handler of an inner signal may send a newer value during the replay.
    entry.starts?.hold()
    entry.join(past.values, ending)
    entry.starts?.resume()
    // The entry was disposed before it was on the list.
    if entry.isDisposed { remove(entry) }
    return connection
  }

  /// Returns a connection to start if there is none and a subscriber needs it (4).
  private func makeConnection(_ state: inout State) -> Connection<Value, Failure>? {
    guard state.connection == nil, !state.isDisconnecting, !state.entries.isEmpty, state.ending == nil
    else { return nil }
    let connection = Connection(self)
    state.connection = connection
    return connection
  }

  /// Sends a value to all subscribers, unless the connection is outdated (3) or a newer value has been sent.
  ///
  /// The value is sent only if it comes from the current connection and no value has been sent since `version`. If it
  /// is sent, `commit` runs under the lock with the new version. It must not call out.
  @discardableResult
  @inlinable
  func next(
    _ value: Value, from connection: AnyObject? = nil, after version: Int? = nil, _ commit: (Int) -> Void = { _ in }
  )
    -> Bool
  {
    var freed: Value?
    var removed: [Entry]?
    let (isSent, entered, hasStarts) = state.withLock { state -> (Bool, [Entry]?, Bool) in
      guard state.ending == nil, connection === state.connection, version == nil || version == state.version else {
        return (false, nil, false)
      }
      if state.removedCount > 0 { removed = state.compact() }
      state.version += 1
      freed = state.replayed.append(value)
      commit(state.version)
      let entries = state.entries
      // inside the lock: the job is only created here; it runs outside.
      let isEntered = gate.enter() || gate.enter { for entry in entries { entry.next(value) } }
      return (true, isEntered ? entries : nil, state.hasStarts)
    }
    withExtendedLifetime((freed, removed)) {}
    guard let entries = entered else { return isSent }
    if hasStarts { for entry in entries { entry.starts?.hold() } }
    for entry in entries { entry.next(value) }
    gate.leave()
    if hasStarts { for entry in entries { entry.starts?.resume() } }
    return isSent
  }

  /// Terminates all current and future subscribers.
  ///
  /// A last value and the completion are one step, so that a subscriber disposed by the value still counts for the end.
  @usableFromInline
  func end(_ end: End<Value, Failure>, from connection: AnyObject? = nil) {
    var freed: ReplayBuffer<Value>?
    var oldest: Value?
    defer { withExtendedLifetime((freed, oldest)) {} }
    let (dropped, entered, hasStarts) = state.withLock { state -> (Connection<Value, Failure>?, [Entry]?, Bool) in
      guard state.ending == nil, connection === state.connection else { return (nil, nil, false) }
      let (entries, dropped) = (state.entries, state.connection)
      state.entries = []
      state.removedCount = 0
      state.connection = nil
      if connection != nil, case .abandoned = end {
        // The connection counts as disposed, so the next subscriber starts another one (4).
        freed = state.resetReplay()
        state.isDisconnecting = true
      } else if case .last(let value) = end {
        state.version += 1
        oldest = state.replayed.append(value)
        state.ending = .completed
      } else {
        state.ending = end
        // The owner has been deallocated, so there will be no late subscribers.
        if case .abandoned = end { freed = state.resetReplay() }
      }
      // The next connection starts after the teardown, which is therefore left to no other thread.
      let torn = state.isDisconnecting ? nil : dropped
      // inside the lock: the job is only created here; it runs outside.
      let isEntered = gate.enter() || gate.enter { self.deliverLater(end, to: entries, from: torn) }
      return (dropped, isEntered ? entries : nil, state.hasStarts)
    }
    if let entries = entered {
      // Disposed first, because a subscriber may start its next signal at the end. Also if the source has dropped its
      // observer, because nothing else would run its teardown.
      dropped?.scope.dispose()
      if hasStarts { for entry in entries { entry.starts?.hold() } }
      for entry in entries { entry.end(end) }
      gate.leave()
      if hasStarts { for entry in entries { entry.starts?.resume() } }
    }
    guard let dropped, case .abandoned = end else { return }
    dropped.scope.dispose()
    reconnect()
  }

  /// Delivers a queued end; the source is torn down first.
  private func deliverLater(
    _ end: End<Value, Failure>, to entries: [Entry], from connection: Connection<Value, Failure>?
  ) {
    connection?.scope.dispose()
    for entry in entries { entry.end(end) }
  }

  /// Removes a subscriber; removing the last one disposes the connection.
  func remove(_ entry: Entry) {
    var freed: ReplayBuffer<Value>?
    let (removed, connection) = state.withLock { state -> ([Entry]?, Connection<Value, Failure>?) in
      guard let removed = state.remove(entry) else { return (nil, nil) }
      guard state.entries.isEmpty, let connection = state.connection else { return (removed, nil) }
      state.connection = nil
      state.isDisconnecting = true
      freed = state.resetReplay()
      return (removed, connection)
    }
    withExtendedLifetime((removed, freed)) {}
    guard let connection else { return }
    connection.scope.dispose()
    reconnect()
  }

  /// Ends a disconnection and starts the next connection, if a subscriber waits for it.
  ///
  /// It loops instead of recursing: a connection may end while it starts, and a subscriber may then wait for the next
  /// one.
  private func reconnect() {
    var isRepeated = true
    while isRepeated {
      // Freed outside the lock.
      var unused: Signal<Value, Failure>?
      let next = state.withLock { state -> (connection: Connection<Value, Failure>, source: Signal<Value, Failure>)? in
        if state.isReconnecting {
          state.mustReconnect = true
          return nil
        }
        state.isDisconnecting = false
        guard let source = state.nextSource.take() else { return nil }
        guard let connection = makeConnection(&state) else {
          unused = source
          return nil
        }
        state.isReconnecting = true
        return (connection, source)
      }
      withExtendedLifetime(unused) {}
      guard let next else { return }
      next.connection.start(next.source, depth: 0)
      isRepeated = state.withLock { state in
        defer { (state.isReconnecting, state.mustReconnect) = (false, false) }
        return state.mustReconnect
      }
    }
  }
}

extension Hub.State {
  /// Empties the replay buffer and returns it, to free it outside the lock.
  mutating func resetReplay() -> ReplayBuffer<Value> {
    defer { replayed = ReplayBuffer(limit: replayed.limit) }
    return replayed
  }

  /// Removes an entry, which the caller retains; returns `nil` if it is not on the list, or entries to free outside the
  /// lock.
  ///
  /// An entry with many others after it is only marked: disposing thousands of subscribers in the order of their
  /// subscriptions would otherwise move all others each time. An entry with deferred starts is not marked, because
  /// deliveries hold them. Complexity: O(log n) on average.
  mutating func remove(_ entry: Hub.Entry) -> [Hub.Entry]? {
    guard let index = index(of: entry), !entry.isRemoved.load(ordering: .relaxed) else { return nil }
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

  /// Returns the index of an entry.
  ///
  /// Complexity: O(log n).
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
