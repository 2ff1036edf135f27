import Synchronization

/// Multicasts each event to all current subscribers and replays buffered values to late ones.
///
/// It is fed by hand (`PublishSubject`, `CurrentValue`) or by one subscription to a source (`share`):
///
///     idle ──first subscriber──▶ connected ──last subscriber is disposed──▶ disconnecting ──▶ idle, or connected again
///                                    │ the source ends                                      if somebody subscribed
///                                    ▼
///                                  ended: every later subscriber gets the replayed values and the end
///
/// Invariants:
/// 1. What an event is and who gets it is decided in one step under the lock: a subscriber gets each value either
///    replayed or live.
/// 2. The gate delivers in the order of those steps. No lock is held while a subscriber runs.
/// 3. A connection's events count only while it is the current one.
/// 4. The next connection starts when the one before has been disposed.
@usableFromInline
final class Hub<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline typealias Entry = HubEntry<Value, Failure>

  @usableFromInline
  struct State {
    /// Sorted by number.
    @usableFromInline var entries: [Entry] = []
    var nextNumber = 0
    @usableFromInline var replayed: ReplayBuffer<Value>
    @usableFromInline var version = 0
    @usableFromInline var ending: End<Value, Failure>?
    @usableFromInline var connection: Connection<Value, Failure>?
    var isDisconnecting = false
    /// The source, while a subscriber waits for the end of a disconnection.
    var nextSource: Signal<Value, Failure>?
    /// Whether any entry defers starts.
    @usableFromInline var hasStarts = false
  }

  @usableFromInline let state: Guarded<State>
  @usableFromInline let gate = Gate<Value, Failure>()
  private let replayCount: Int
  private let isFedByHand: Bool

  /// Makes a hub.
  ///
  /// - Parameters:
  ///   - replayCount: how many values a late subscriber gets.
  ///   - initial: replayed from the start.
  ///   - isFedByHand: whether it stays unconnected. The values of a connection are forgotten with it.
  @usableFromInline
  init(replaying replayCount: Int, _ initial: [Value] = [], isFedByHand: Bool) {
    self.replayCount = max(0, replayCount)
    self.isFedByHand = isFedByHand
    state = Guarded(State(replayed: ReplayBuffer(limit: replayCount, initial)))
  }

  /// Adds a subscriber; returns the connection to be started, if it is the first one.
  ///
  /// The hub does not keep the source: a subscription must not keep alive what its source is deallocated with.
  @usableFromInline
  func add(
    _ downstream: Downstream<Value, Failure>, to source: Signal<Value, Failure>? = nil
  ) -> Connection<Value, Failure>? {
    let entry = Entry(downstream, self, isJoining: true)
    downstream.scope.hold(entry)
    let (past, ending, connection) = state.withLock { state in
      if state.ending == nil {
        state.nextNumber += 1
        entry.number.store(state.nextNumber, ordering: .relaxed)
        state.entries.append(entry)
        if entry.starts != nil { state.hasStarts = true }
        if state.isDisconnecting { state.nextSource = source }
      }
      return (state.replayed, state.ending, makeConnection(&state))
    }
    entry.join(past.values, ending)
    // Disposed before it was on the list.
    if entry.isDisposed { remove(entry) }
    return connection
  }

  /// A connection to be started, if there is none and somebody needs it (4).
  private func makeConnection(_ state: inout State) -> Connection<Value, Failure>? {
    guard !isFedByHand, state.connection == nil, !state.isDisconnecting, !state.entries.isEmpty, state.ending == nil
    else { return nil }
    let connection = Connection(self)
    state.connection = connection
    return connection
  }

  /// Sends a value to all subscribers, if it comes from the current connection (3) and none has been sent since a version.
  ///
  /// `commit` runs under the lock when it is sent, with the new version; it must not call out.
  @discardableResult
  @inlinable
  func next(
    _ value: Value, from connection: AnyObject? = nil, after version: Int? = nil, _ commit: (Int) -> Void = { _ in }
  )
    -> Bool
  {
    var forgotten: Value?
    let (isSent, entered, hasStarts) = state.withLock { state -> (Bool, [Entry]?, Bool) in
      guard state.ending == nil, connection === state.connection, version == nil || version == state.version else {
        return (false, nil, false)
      }
      state.version += 1
      forgotten = state.replayed.append(value)
      commit(state.version)
      let entries = state.entries
      // inside the lock: the job is only made here, and runs outside of it.
      let isEntered = gate.enter() || gate.enter { for entry in entries { entry.next(value) } }
      return (true, isEntered ? entries : nil, state.hasStarts)
    }
    withExtendedLifetime(forgotten) {}
    guard let entries = entered else { return isSent }
    if hasStarts { for entry in entries { entry.starts?.hold() } }
    for entry in entries { entry.next(value) }
    gate.leave()
    if hasStarts { for entry in entries { entry.starts?.resume() } }
    return isSent
  }

  /// Ends all subscribers, now and later.
  @usableFromInline
  func end(_ end: End<Value, Failure>, from connection: AnyObject? = nil) {
    if case .last(let value) = end {
      next(value, from: connection)
      return self.end(.completed, from: connection)
    }
    var forgotten: ReplayBuffer<Value>?
    defer { withExtendedLifetime(forgotten) {} }
    let (dropped, entered) = state.withLock { state -> (Connection<Value, Failure>?, [Entry]?) in
      guard state.ending == nil, connection === state.connection else { return (nil, nil) }
      let (entries, dropped) = (state.entries, state.connection)
      state.entries = []
      state.connection = nil
      state.ending = end
      // The owner is gone, so there will be no late subscribers.
      if isFedByHand, case .abandoned = end {
        forgotten = state.replayed
        state.replayed = ReplayBuffer(limit: 0)
      }
      // inside the lock: the job is only made here, and runs outside of it.
      let isEntered = gate.enter() || gate.enter { for entry in entries { entry.end(end) } }
      return (dropped, isEntered ? entries : nil)
    }
    if let entries = entered {
      for entry in entries { entry.end(end) }
      gate.leave()
    }
    if !end.isUnreachable { dropped?.scope.dispose() }
  }

  /// Takes a subscriber off the list; the last one disposes the connection.
  func remove(_ entry: Entry) {
    var forgotten: ReplayBuffer<Value>?
    let (removed, connection) = state.withLock { state -> (Entry?, Connection<Value, Failure>?) in
      guard let index = state.index(of: entry) else { return (nil, nil) }
      let removed = state.entries.remove(at: index)
      guard state.entries.isEmpty, let connection = state.connection else { return (removed, nil) }
      state.connection = nil
      state.isDisconnecting = true
      forgotten = state.replayed
      state.replayed = ReplayBuffer(limit: replayCount)
      return (removed, connection)
    }
    withExtendedLifetime((removed, forgotten)) {}
    guard let connection else { return }
    connection.scope.dispose()
    let (next, source) = state.withLock { state in
      state.isDisconnecting = false
      return (makeConnection(&state), state.nextSource.take())
    }
    if let source { next?.start(source, depth: 0) }
  }
}

extension Hub.State {
  /// Where an entry stands.
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
