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
/// After an unreachable end, all subscribers wait as for `never`, later ones after the replay. The source is torn down
/// with the last of them, and the hub is then idle.
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
    /// The scope of a connection whose source is unreachable, and the numbers of its subscribers.
    ///
    /// The hub retains neither these subscribers nor the connection: nothing would free those of discarded handles. An
    /// owner bound in the source retains the connection, and its lifetime the subscriptions, without their handlers.
    var unreachable: Disposable?
    var waiting: Set<Int> = []
    /// The lifetime of these subscribers, if an owner's deinit ends the connection.
    var waitingOwner: Ending?
    var isDisconnecting = false
    /// The bonds of a connection that is ending, for subscribers that leave meanwhile.
    var endingBonds: [OwnerBond] = []
    /// Whether a thread is starting connections, and whether it must start another one afterwards.
    var isReconnecting = false
    var mustReconnect = false
    /// The source of a subscriber that waits until a disconnection has finished.
    var nextSource: Signal<Value, Failure>?
    @usableFromInline var hasStarts = false
  }

  @usableFromInline let state: Guarded<State>
  @usableFromInline let gate = Gate<Value, Failure>()

  /// Creates a hub that replays a number of values to late subscribers; the buffer of a connection is cleared with it.
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
    // A subject has no connection, with which a subscription could end.
    if source != nil { entry.subscription.set(downstream.subscription) }
    downstream.scope.hold(entry)
    let (past, ending, owner, connection) = state.withLock { state in
      // The entry may have been disposed already.
      if !entry.isRemoved.load(ordering: .relaxed) { state.add(entry, source) }
      return (state.replayed, state.ending, state.waitingOwner, source == nil ? nil : makeConnection(&state))
    }
    // Deferred as in `next`, because a handler of an inner signal may send a newer value during the replay.
    entry.starts?.hold()
    entry.join(past.values, ending, owner)
    entry.starts?.resume()
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
      let isEntered = gate.enter() || gate.enter { for entry in entries { entry.emit(value) } }
      return (true, isEntered ? entries : nil, state.hasStarts)
    }
    withExtendedLifetime((freed, removed)) {}
    guard let entries = entered else { return isSent }
    if hasStarts { for entry in entries { entry.starts?.hold() } }
    for entry in entries { entry.emit(value) }
    gate.leave()
    if hasStarts { for entry in entries { entry.starts?.resume() } }
    return isSent
  }

  /// Terminates all current and future subscribers.
  ///
  /// A last value and the completion are one step, so that a subscriber disposed by the value still counts for the end.
  /// The bonds of the connection continue in the subscriptions.
  @usableFromInline
  func end(_ end: End<Value, Failure>, from connection: AnyObject? = nil, _ bonds: [OwnerBond] = []) {
    var freed: ReplayBuffer<Value>?
    var oldest: Value?
    defer { withExtendedLifetime((freed, oldest)) {} }
    let (dropped, entered, owner, hasStarts) = state.withLock {
      state -> (Connection<Value, Failure>?, [Entry]?, Ending?, Bool) in
      guard state.ending == nil, connection === state.connection else { return (nil, nil, nil, false) }
      let (entries, dropped) = (state.entries, state.connection)
      state.entries = []
      state.removedCount = 0
      state.connection = nil
      state.endingBonds = bonds
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
        if end.isUnreachable { state.waitForDisposal(of: entries, dropped) }
        // The owner has been deallocated, so there will be no late subscribers.
        if case .abandoned = end { freed = state.resetReplay() }
      }
      // The next connection starts after the teardown, which is therefore left to no other thread.
      let torn = state.isDisconnecting || end.isUnreachable ? nil : dropped
      let owner = state.waitingOwner
      // inside the lock: the job is only created here; it runs outside.
      let isEntered = gate.enter() || gate.enter { self.deliverLater(end, to: entries, owner, bonds, from: torn) }
      return (dropped, isEntered ? entries : nil, owner, state.hasStarts)
    }
    if let entries = entered {
      // Disposed first, because a subscriber may start its next signal at the end.
      if !end.isUnreachable { dropped?.scope.dispose() }
      if hasStarts { for entry in entries { entry.starts?.hold() } }
      for entry in entries { entry.terminate(end, owner, bonds) }
      if !bonds.isEmpty { releaseEndingBonds() }
      gate.leave()
      if hasStarts { for entry in entries { entry.starts?.resume() } }
    }
    guard let dropped, case .abandoned = end else { return }
    dropped.scope.dispose()
    reconnect()
  }

  /// Delivers a queued end; the source is torn down first.
  private func deliverLater(
    _ end: End<Value, Failure>, to entries: [Entry], _ owner: Ending?, _ bonds: [OwnerBond],
    from connection: Connection<Value, Failure>?
  ) {
    connection?.scope.dispose()
    for entry in entries { entry.terminate(end, owner, bonds) }
    if !bonds.isEmpty { releaseEndingBonds() }
  }

  /// The bonds of the connection, which continue in a subscription that leaves.
  var bonds: [OwnerBond] {
    state.withLock { state in state.connection?.bonds ?? state.endingBonds }
  }

  /// Releases the bonds of a connection that has ended.
  private func releaseEndingBonds() {
    state.discardWithLock { state in
      defer { state.endingBonds = [] }
      return state.endingBonds
    }
  }

  /// Removes a subscriber; removing the last one disposes the connection.
  func remove(_ entry: Entry) {
    var freed: (ReplayBuffer<Value>, Connection<Value, Failure>?, Ending?)?
    let (removed, scope) = state.withLock { state -> ([Entry]?, Disposable?) in
      guard let removed = state.remove(entry) else { return (nil, nil) }
      guard state.entries.isEmpty, state.waiting.isEmpty, let scope = state.connection?.scope ?? state.unreachable
      else { return (removed, nil) }
      freed = state.disconnect()
      return (removed, scope)
    }
    withExtendedLifetime((removed, freed)) {}
    guard let scope else { return }
    scope.dispose()
    reconnect()
  }

  /// Disposes the current connection and then its subscribers, newest first, after an owner's deinit.
  func dispose(_ connection: Connection<Value, Failure>) {
    var freed: ReplayBuffer<Value>?
    let entries = state.withLock { state -> [Entry]? in
      guard state.ending == nil, state.connection === connection else { return nil }
      // A subscriber that leaves now is disposed, too: the owner has been deallocated.
      state.endingBonds = connection.bonds
      defer { (state.entries, state.removedCount, state.connection) = ([], 0, nil) }
      freed = state.resetReplay()
      // First, because a subscriber may join during the teardown: it starts the next connection (4).
      state.isDisconnecting = true
      return state.entries
    }
    withExtendedLifetime(freed) {}
    guard let entries else { return }
    connection.scope.dispose()
    for entry in entries.reversed() { entry.disposeSubscription() }
    releaseEndingBonds()
    reconnect()
  }

  /// Disconnects from an unreachable source, and disposes its subscribers, after an owner's deinit.
  func disconnect(_ connection: Connection<Value, Failure>) {
    var freed: (ReplayBuffer<Value>, Connection<Value, Failure>?, Ending?)?
    state.withLock { state in
      if state.unreachable === connection.scope { freed = state.disconnect() }
    }
    guard freed != nil else { return }
    connection.scope.dispose()
    connection.disposeSubscribers()
    reconnect()
  }

  /// Ends a disconnection and starts the next connection, if a subscriber waits for it; it loops instead of recursing:
  /// a connection may end while it starts, and a subscriber may then wait for the next one.
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
