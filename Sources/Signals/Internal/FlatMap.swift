public import Synchronization

/// Runs a signal for each value of an outer one and joins what they send.
///
/// Four things keep it fast and flat:
/// - while no inner runs, only the outer can deliver, so ready inners (`just`) go on without the gate;
/// - when the outer ends with its last value and nothing else runs, the inner takes over this place as a tail;
/// - so that nested synchronous flattenings do not eat up the stack, at a certain depth an inner is put off until its outer
///   sends again or has been started, and then most often runs as a tail;
/// - when the outer is done and one inner is left, that inner's own flattenings are put in our place
///   (`shortcut`), so an asynchronous recursion does not pile up finished flattenings.
@usableFromInline
final class FlatMap<Input: Sendable, Value: Sendable, Failure: Error>: Cancellable {
  @usableFromInline typealias Inners = Signal<Value, Failure>

  /// What waits at the gate: a value with the inner it came from, or the ending of it all.
  @usableFromInline
  enum Item: Sendable {
    case value(Value, Inner<Input, Value, Failure>)
    case end(End<Value, Failure>)
  }

  @usableFromInline
  struct State {
    @usableFromInline var inners: [Inner<Input, Value, Failure>] = []
    @usableFromInline var waiting = Waiting<Inners>()
    @usableFromInline var isOuterDone = false
    @usableFromInline var isStarting = false
    @usableFromInline var isOver = false

    @inlinable init() {}
  }

  /// A place behind a pointer of its own, so that using it needs no retain.
  @usableFromInline
  final class Place: Sendable {
    @usableFromInline let continuation: Continuation<Value, Failure>

    @inlinable
    init(_ continuation: Continuation<Value, Failure>) {
      self.continuation = continuation
    }
  }

  /// How many synchronous flattenings may nest before inners wait for their outer to have been started: 32 levels
  /// take some 20 KB of stack, far below the 512 KiB of a secondary thread.
  @inlinable static var depthLimit: Int { 32 }

  @usableFromInline let transform: @Sendable (Input) -> Inners
  @usableFromInline let strategy: FlattenStrategy
  @usableFromInline let depth: Int
  @usableFromInline let outer = Disposable()
  @usableFromInline let gate = Gate()
  /// How many inners run or wait.
  @usableFromInline let pendingCount = Atomic<Int>(0)
  @usableFromInline let handover = Handover()
  @usableFromInline let state = Guarded(State())
  // Replaced only in the outer's delivery while no inner runs, so nobody else can be using it.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var place: Unmanaged<Place>
  // Written before the hand-over and read after it.
  @usableFromInline nonisolated(unsafe) var tail: Inners?

  @inlinable
  init(
    _ place: Continuation<Value, Failure>, _ strategy: FlattenStrategy,
    _ transform: @escaping @Sendable (Input) -> Inners
  ) {
    self.place = .passRetained(Place(place))
    self.depth = place.sink.depth
    self.strategy = strategy
    self.transform = transform
  }

  @inlinable
  deinit { place.release() }

  @inlinable var isOver: Bool { gate.isClosed }

  /// Only the outer's deliveries may ask this: while it holds, nobody else can start to deliver.
  @inlinable var isAlone: Bool { pendingCount.load(ordering: .acquiring) == 0 && gate.isIdle }

  /// What waits further on: read before the outer or an inner runs, while nobody can replace the place.
  @inlinable var pressure: Pressure? { place._withUnsafeGuaranteedRef { $0.continuation.sink.pressure } }

  @inlinable
  func send(_ value: Value) { place._withUnsafeGuaranteedRef { $0.continuation.sink.next(value) } }

  /// Starts the outer; returns the inner to be run next in this place, if it has come to that already.
  @inlinable
  func start(_ source: Signal<Input, Failure>) -> Inners? {
    place._withUnsafeGuaranteedRef { $0.continuation.scope.hold(self) }
    source.run(
      in: Continuation(
        sink: Sink(next: { self.next($0) }, end: { self.end($0) }, depth: depth, pressure: pressure), scope: outer))
    if handover.hasTail() { return tail.take() }
    if depth >= FlatMap.depthLimit { return startWaiting() }
    return nil
  }

  @inlinable
  func next(_ value: Input) {
    // An inner that was put off for its outer is run before the outer's next value, as if it had not been.
    if isTooDeep && !isAlone { startNext() }
    if isAlone {
      let inner = transform(value).settled()
      switch inner.kind {
      case .ready(let value): if !isOver { send(value) }
      case .empty: break
      default:
        shorten()
        admit(inner, isAlone: true)
      }
    } else {
      if case .exhaust = strategy.kind, pendingCount.load(ordering: .acquiring) > 0 { return }
      admit(transform(value), isAlone: false)
    }
  }

  @inlinable
  func end(_ end: End<Input, Failure>) {
    switch end {
    case .last(let value):
      if isAlone {
        if isOver { return }
        let inner = transform(value).settled()
        if case .ready(let value) = inner.kind {
          return place._withUnsafeGuaranteedRef { $0.continuation.sink.end(.last(value)) }
        }
        return follow(with: inner)
      }
      next(value)
      outerCompleted()
    case .failed(let failure): finish(.failed(failure))
    case .completed: outerCompleted()
    }
  }

  /// The last inner runs in our place, with our observer.
  @inlinable
  func follow(with inner: Inners) {
    tail = inner
    if handover.leaveToStarter() { return }
    tail = nil
    inner.run(in: place._withUnsafeGuaranteedRef { $0.continuation.shortened })
  }

  /// A value of an inner.
  @inlinable
  func deliver(_ value: Value, from inner: Inner<Input, Value, Failure>) {
    guard gate.enter(orKeep: Item.value(value, inner)) else { return }
    if !inner.isCancelled { send(value) }
    gate.leave { (item: Item) in deliver(item) }
  }

  @inlinable
  func deliver(_ item: Item) {
    switch item {
    case .value(let value, let inner): if !inner.isCancelled { send(value) }
    case .end(let end): finishInside(end)
    }
  }

  /// Ends it all, after what is waiting at the gate.
  @inlinable
  func finish(_ end: End<Value, Failure>) {
    guard gate.enter(orKeep: Item.end(end)) else { return }
    finishInside(end)
  }

  @inlinable
  func finishInside(_ end: End<Value, Failure>) {
    guard gate.close() != Gate.closed else { return }
    release()
    place._withUnsafeGuaranteedRef { $0.continuation.sink.end(end) }
  }

  @inlinable
  func cancel() {
    guard gate.close() != Gate.closed else { return }
    release()
  }

  /// Stops everything upstream and frees what waits.
  @inlinable
  func release() {
    let before = state.withLock { state in
      let before = state
      state = State()
      state.isOver = true
      return before
    }
    outer.dispose()
    for inner in before.inners { inner.cancel() }
  }
}
