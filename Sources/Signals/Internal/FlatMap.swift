public import Synchronization

/// Runs a signal for each value of an outer one and joins what they send.
///
///     outer runs ──last value, nothing pending──▶ handed over: the inner signal runs in our place, we are closed
///         │ completes
///         ▼
///     outer done ──one inner left, it flattens too──▶ bypassed: it sends straight to our downstream, we are closed
///         │ nothing pending
///         ▼
///     closed: completed, failed or disposed
///
/// Invariants, by which the methods below name what they rely on:
/// 1. Everything that is sent passes the gate. A closed gate has no downstream.
/// 2. `pendingCount` counts the inner signals that run or wait. Only the outer's deliveries, which never overlap, raise it
///    from 0: while one of them sees 0, no inner signal can be added.
/// 3. One thread at a time starts inner signals (`isStarting`), in a loop: synchronous ones do not nest.
/// 4. An inner signal that has been replaced or disposed says so (`isCancelled`) before its successor starts; whoever sends
///    for it asks inside the gate.
/// 5. An inner signal leaves the list when it ends, and is torn down before the next one starts.
/// 6. At `depthLimit` inner signals wait until their outer has been started, so nested synchronous flattenings do not use up
///    the stack; an only one is then run as our tail.
/// 7. We are bypassed only when the outer is done, one inner signal is left and nobody is inside the gate. So an
///    asynchronous recursion does not pile up finished flattenings.
@usableFromInline
final class FlatMap<Input: Sendable, Value: Sendable, Failure: Error>: Disposing {
  @usableFromInline
  struct State {
    /// Where it all goes; the gate has the same closures.
    @usableFromInline var downstream: Downstream<Value, Failure>?
    @usableFromInline var inners: [Inner<Input, Value, Failure>] = []
    @usableFromInline var waiting = Waiting<Signal<Value, Failure>>()
    /// What is still to be disposed of inner signals from which nothing more can come.
    @usableFromInline var leftovers: [any Disposing] = []
    /// How the outer has ended.
    @usableFromInline var outerEnd: End<Value, Failure>?
    @usableFromInline var isStarting = false
    @usableFromInline var isOver = false

    @inlinable
    init(_ downstream: Downstream<Value, Failure>?) {
      self.downstream = downstream
    }

    /// How many inner signals run or wait.
    @inlinable var pendingCount: Int { inners.count + waiting.count }

    /// Takes an inner signal off the list; returns whether it was there.
    @inlinable
    mutating func remove(_ inner: Inner<Input, Value, Failure>) -> Bool {
      // The last one is looked at first: where many run, the youngest ends first.
      if inners.last !== inner {
        guard let index = inners.lastIndex(where: { $0 === inner }) else { return false }
        inners.swapAt(index, inners.count - 1)
      }
      inners.removeLast()
      return true
    }

    /// How it all ends, if the outer is done and nothing more can come of inner signals.
    ///
    /// Mutating, so that the state is not copied.
    @inlinable
    mutating func finalEnd(_ limit: Int) -> End<Value, Failure>? {
      guard let end = outerEnd, !isStarting, !isOver else { return nil }
      if inners.isEmpty { return waiting.isEmpty ? end : nil }
      guard waiting.isEmpty || inners.count >= limit else { return nil }
      return inners.allSatisfy(\.isUnreachable) ? .unreachable : nil
    }

    @inlinable
    mutating func takeAll() -> State {
      let taken = consume self
      self = State(nil)
      isOver = true
      return taken
    }
  }

  /// How many synchronous flattenings may nest: 32 levels take some 20 KB of stack, far below the 512 KiB of a
  /// secondary thread.
  @inlinable static var depthLimit: Int { 32 }

  @usableFromInline let transform: @Sendable (Input) -> Signal<Value, Failure>
  @usableFromInline let strategy: FlattenStrategy
  @usableFromInline let depth: Int
  @usableFromInline let pressure: Pressure?
  /// Whether there is a flattening around us that may be bypassed (7).
  @usableFromInline let isNested: Bool
  @usableFromInline let starts: DeferredStarts?
  @usableFromInline let outer = Disposable()
  @usableFromInline let gate: Gate<Value, Failure>
  @usableFromInline let pendingCount = Atomic<Int>(0)
  @usableFromInline let isReleased = Atomic<Bool>(false)
  @usableFromInline let handover = Handover()
  @usableFromInline let state: Guarded<State>

  @inlinable
  init(
    _ downstream: Downstream<Value, Failure>, _ strategy: FlattenStrategy,
    _ transform: @escaping @Sendable (Input) -> Signal<Value, Failure>
  ) {
    gate = Gate(next: downstream.next, end: downstream.end)
    state = Guarded(State(downstream))
    depth = downstream.depth
    pressure = downstream.pressure
    isNested = downstream.bypass != nil
    starts = strategy.kind == .latest ? DeferredStarts(before: downstream.starts) : downstream.starts
    self.strategy = strategy
    self.transform = transform
  }

  @inlinable var isDisposed: Bool { gate.isDisposed }
  @inlinable var hasPending: Bool { pendingCount.load(ordering: .acquiring) > 0 }

  /// Starts the outer; returns the inner signal to be run next in our place, if it has come to that already.
  @inlinable
  func start(_ source: Signal<Input, Failure>, in downstream: Downstream<Value, Failure>) -> Signal<Value, Failure>? {
    downstream.scope.hold(self)
    source.run(
      in: Downstream(
        next: { self.next($0) }, end: { self.end($0) }, scope: outer, subscription: downstream.subscription,
        depth: depth, pressure: pressure, starts: starts))
    if handover.hasTail() { return state.withLock { $0.waiting.popFirst() } }
    if depth >= FlatMap.depthLimit { return startWaiting() }
    return nil
  }

  /// A value of the outer (2).
  @inlinable
  func next(_ value: Input) {
    if isDisposed { return }
    // One that was put off for its outer (6) is run before the outer's next value, as if it had not been.
    if isTooDeep, hasPending { startNext() }
    if hasPending, strategy.kind == .latest { starts?.startOverdue() }
    guard hasPending else {
      let inner = transform(value).settled()
      switch inner.kind {
      case .ready(let value): deliver(value)
      case .empty: break
      default:
        shorten()
        admit(inner)
      }
      return
    }
    if strategy.kind != .exhaust { admit(transform(value)) }
  }

  /// The end of the outer (2).
  @inlinable
  func end(_ end: End<Input, Failure>) {
    switch end {
    case .last(let value):
      if hasPending, strategy.kind == .latest { starts?.startOverdue() }
      if hasPending || isDisposed {
        next(value)
        return outerEnded()
      }
      let inner = transform(value).settled()
      if case .ready(let value) = inner.kind { return finish(.last(value)) }
      guard gate.enter() else { return gate.later { self.handOver(to: inner) } }
      handOver(to: inner)
      gate.leave()
    case .failed(let failure): finish(.failed(failure))
    case .completed: outerEnded()
    case .abandoned: outerEnded(.abandoned)
    case .unreachable: outerEnded(.unreachable)
    }
  }

  /// Sends a ready inner signal's value (1).
  @inlinable
  func deliver(_ value: Value) {
    guard gate.enter() else { return gate.later { self.gate.send(value) } }
    gate.send(value)
    gate.leave()
  }

  /// Sends an inner signal's value (1, 4).
  @inlinable
  func deliver(_ value: Value, from inner: Inner<Input, Value, Failure>) {
    guard gate.enter() else { return gate.later { if !inner.isCancelled { self.gate.send(value) } } }
    if !inner.isCancelled { gate.send(value) }
    gate.leave()
  }
}
