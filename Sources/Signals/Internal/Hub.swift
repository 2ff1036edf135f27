public import Synchronization

/// One subscriber of a hub.
@usableFromInline
final class HubEntry<Value: Sendable, Failure: Error>: Cancellable {
  @usableFromInline
  final class Target: Sendable {
    @usableFromInline let sink: Sink<Value, Failure>

    init(_ sink: Sink<Value, Failure>) {
      self.sink = sink
    }
  }

  @usableFromInline
  enum Phase {
    @inlinable static var live: UInt8 { 0 }
    /// What was before is still being replayed; what comes meanwhile waits.
    @inlinable static var joining: UInt8 { 1 }
    @inlinable static var over: UInt8 { 2 }
  }

  /// The subscriber, in an object of its own: it can be called without being retained, and freed before the entry is.
  @usableFromInline let target: Unmanaged<Target>
  private let isFreed = Once()
  let id: Int
  private let hub: Hub<Value, Failure>
  @usableFromInline let phase: Atomic<UInt8>
  private let waiting = Guarded<[Event<Value, Failure>.Whole]>([])

  init(_ sink: Sink<Value, Failure>, _ id: Int, _ hub: Hub<Value, Failure>, isJoining: Bool) {
    target = .passRetained(Target(sink))
    self.id = id
    self.hub = hub
    phase = Atomic(isJoining ? Phase.joining : Phase.live)
  }

  @usableFromInline var isOver: Bool { phase.load(ordering: .acquiring) == Phase.over }

  @usableFromInline
  func cancel() {
    guard phase.exchange(Phase.over, ordering: .acquiringAndReleasing) != Phase.over else { return }
    hub.remove(self)
  }

  deinit { free() }

  /// Frees the subscriber, without an event: it may hold, through its stages, what holds this entry.
  ///
  /// Only for when nobody is left who could send.
  func abandon() {
    phase.store(Phase.over, ordering: .releasing)
    free()
  }

  private func free() {
    if isFreed.claim() { target.release() }
  }

  @inlinable
  func send(_ value: Value) { target._withUnsafeGuaranteedRef { $0.sink.next(value) } }

  @inlinable
  func next(_ value: Value) {
    switch phase.load(ordering: .acquiring) {
    case Phase.live: send(value)
    case Phase.joining: keep(.value(value))
    default: break
    }
  }

  @inlinable
  func end(_ end: End<Value, Failure>) {
    switch phase.load(ordering: .acquiring) {
    case Phase.live: finish(end)
    case Phase.joining: keep(.end(end))
    default: break
    }
  }

  /// Sends what was before, then what came meanwhile; from then on values come straight from the hub.
  func join(_ values: [Value]) {
    for value in values {
      if isOver { return }
      send(value)
    }
    while true {
      let batch = waiting.withLock { waiting in
        if waiting.isEmpty {
          _ = phase.compareExchange(
            expected: Phase.joining, desired: Phase.live, ordering: .acquiringAndReleasing)
        }
        return Array(waiting.drained())
      }
      if batch.isEmpty { return }
      for event in batch where !isOver { deliver(event) }
    }
  }

  @usableFromInline
  func keep(_ event: Event<Value, Failure>.Whole) {
    let isKept = waiting.withLock { waiting in
      guard phase.load(ordering: .acquiring) == Phase.joining else { return false }
      waiting.append(event)
      return true
    }
    if !isKept && !isOver { deliver(event) }
  }

  private func deliver(_ event: Event<Value, Failure>.Whole) {
    switch event {
    case .value(let value): send(value)
    case .end(let end): finish(end)
    }
  }

  @usableFromInline
  func finish(_ end: End<Value, Failure>) {
    if phase.exchange(Phase.over, ordering: .acquiringAndReleasing) != Phase.over {
      target._withUnsafeGuaranteedRef { $0.sink.end(end) }
    }
  }
}

extension Array {
  /// Takes all elements out.
  mutating func drained() -> [Element] {
    defer { self = [] }
    return self
  }
}

/// Sends what it gets to everybody who is subscribed, and to those who come later what they are to have of the past.
///
/// It is fed by one delivery at a time. No lock is held while a subscriber runs: the list is copied on write.
@usableFromInline
final class Hub<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline
  struct State {
    @usableFromInline var entries: [HubEntry<Value, Failure>] = []
    var nextID = 0
    @usableFromInline var replayed: [Value]
    var ending: End<Value, Failure>?
    @usableFromInline var connection: Disposable?
  }

  @usableFromInline let state: Guarded<State>
  @usableFromInline let replayCount: Int
  /// Whether what is replayed belongs to a run of a source, and is forgotten with it, rather than to the hub's owner.
  private let forgets: Bool

  @usableFromInline
  init(replaying replayCount: Int, _ initial: [Value] = [], forgets: Bool = false) {
    self.replayCount = max(0, replayCount)
    self.forgets = forgets
    state = Guarded(State(replayed: initial))
  }

  /// Adds a subscriber.
  ///
  /// Returns the scope to run the source in, if it is the first and the source is not running.
  @discardableResult
  @usableFromInline
  func add(_ place: Continuation<Value, Failure>) -> Disposable? {
    var connection: Disposable?
    let (entry, past, ending) = state.withLock { state in
      let past = state.replayed
      if let ending = state.ending { return (HubEntry<Value, Failure>?.none, past, End<Value, Failure>?.some(ending)) }
      state.nextID += 1
      let entry = HubEntry(place.sink, state.nextID, self, isJoining: replayCount > 0)
      state.entries.append(entry)
      if state.connection == nil {
        connection = Disposable()
        state.connection = connection
      }
      return (entry, past, nil)
    }
    if let ending {
      if place.sink.send(past, in: place.scope) { place.sink.end(ending) }
    } else if let entry {
      place.scope.hold(entry)
      if replayCount > 0 { entry.join(past) }
    }
    return connection
  }

  @inlinable
  func next(_ value: Value, from connection: Disposable? = nil) {
    var forgotten: Value?
    let entries = state.withLock { state -> [HubEntry<Value, Failure>] in
      if let connection, connection !== state.connection { return [] }
      if replayCount > 0 { forgotten = remember(value, &state) }
      return state.entries
    }
    withExtendedLifetime(forgotten) {}
    for entry in entries { entry.next(value) }
  }

  @usableFromInline
  func end(_ end: End<Value, Failure>, from connection: Disposable? = nil) {
    var forgotten: Value?
    defer { withExtendedLifetime(forgotten) {} }
    let entries = state.withLock { state -> [HubEntry<Value, Failure>] in
      if state.ending != nil { return [] }
      if let connection, connection !== state.connection { return [] }
      if case .last(let value) = end { forgotten = remember(value, &state) }
      if case .failed = end { state.ending = end } else { state.ending = .completed }
      state.connection = nil
      return state.entries.drained()
    }
    for entry in entries { entry.end(end) }
  }

  /// Keeps a value for who comes later; returns the one that gives way to it, to be freed outside the lock.
  @usableFromInline
  func remember(_ value: Value, _ state: inout State) -> Value? {
    guard replayCount > 0 else { return nil }
    let oldest = state.replayed.count >= replayCount ? state.replayed.removeFirst() : nil
    state.replayed.append(value)
    return oldest
  }

  /// Takes a subscriber off the list, which is sorted by id.
  ///
  /// The last one to leave stops the source.
  func remove(_ entry: HubEntry<Value, Failure>) {
    var left: Disposable?
    var forgotten: [Value] = []
    let removed = state.withLock { state -> HubEntry<Value, Failure>? in
      var (low, high) = (0, state.entries.count)
      while low < high {
        let middle = (low + high) / 2
        if state.entries[middle].id < entry.id { low = middle + 1 } else { high = middle }
      }
      guard low < state.entries.count, state.entries[low] === entry else { return nil }
      let removed = state.entries.remove(at: low)
      if state.entries.isEmpty, let connection = state.connection {
        left = connection
        state.connection = nil
        if forgets { swap(&forgotten, &state.replayed) }
      }
      return removed
    }
    withExtendedLifetime((removed, forgotten)) {}
    left?.dispose()
  }

  /// Lets go of everybody, without an event: nothing can come any more.
  func abandon() {
    for entry in state.withLock({ $0.entries.drained() }) { entry.abandon() }
  }
}
