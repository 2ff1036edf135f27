public import Synchronization

/// The stage of `flatMap`: runs an inner signal for each value of an outer signal and merges their events.
///
///     outer runs ──last value, nothing pending──▶ tail call: the inner signal replaces this stage, which closes
///         │ completes
///         ▼
///     outer done ──one inner left, which flattens and whose outer is done──▶ bypassed: it sends to our downstream
///         │ nothing pending
///         ▼
///     closed: completed, failed or disposed
///
/// Invariants, which the methods below cite by number:
/// 1. Every event passes the gate. A closed gate has no downstream.
/// 2. `pendingCount` counts running and queued inner signals. Only deliveries of the outer signal, which never overlap,
///    increase it from 0. While such a delivery reads 0, no other thread can add an inner signal.
/// 3. One thread at a time starts inner signals (`isStarting`), in a loop, so that synchronous inner signals do not
///    nest.
/// 4. A replaced or disposed inner signal is marked (`isCancelled`) before its successor starts. The sender of its
///    events checks the mark inside the gate.
/// 5. A terminated inner signal is removed from the list and torn down before the next one starts.
/// 6. At `depthLimit`, inner signals are queued until their outer signal has been started, so that nested synchronous
///    flattenings do not exhaust the stack. A single queued inner signal then runs as a tail call.
/// 7. The stage is bypassed only when the outer signal is done, no thread is inside the gate, and one inner signal
///    without an owner is left: a flattening whose own outer signal is done, so that no owner can be bound there later.
///    Finished stages therefore do not accumulate in an asynchronous recursion.
@usableFromInline
final class FlatMap<Input: Sendable, Value: Sendable, Failure: Error>: Disposing {
  /// An end of the outer signal without a value or a failure, so that the state has the same layout for all types.
  @usableFromInline
  enum OuterEnd: Sendable {
    case completed, abandoned, unreachable

    @inlinable var end: End<Value, Failure> {
      switch self {
      case .completed: .completed
      case .abandoned: .abandoned
      case .unreachable: .unreachable
      }
    }
  }

  @usableFromInline
  struct State {
    /// The downstream; the gate has the same closures.
    @usableFromInline var downstream: Downstream<Value, Failure>?
    @usableFromInline var inners: [Inner<Input, Value, Failure>] = []
    @usableFromInline var waiting = FIFOQueue<Signal<Value, Failure>>()
    /// The upstreams of unreachable inner signals, which still have to be disposed.
    @usableFromInline var leftovers: [any Disposing] = []
    /// The end of the outer signal, once it has terminated.
    @usableFromInline var outerEnd: OuterEnd?
    @usableFromInline var isStarting = false
    /// Whether the inner signal that ended last ended silently.
    @usableFromInline var isLastSilent = false
    @usableFromInline var nextNumber = 0
    /// Whether a removal has changed the order of the list.
    @usableFromInline var isShuffled = false
    /// The index at which the last search found a reachable inner signal.
    @usableFromInline var reachableIndex = 0
    @usableFromInline var isTerminated = false

    @inlinable
    init(_ downstream: consuming Downstream<Value, Failure>?) {
      self.downstream = downstream
    }

    @inlinable var pendingCount: Int { inners.count + waiting.count }

    @inlinable
    mutating func remove(_ inner: Inner<Input, Value, Failure>) -> Bool {
      let index = inner.index.load(ordering: .relaxed)
      guard index < inners.count, inners[index] === inner else { return false }
      let last = inners.removeLast()
      if last !== inner {
        last.index.store(index, ordering: .relaxed)
        inners[index] = last
        isShuffled = true
      }
      return true
    }

    @inlinable
    mutating func add(_ inner: Inner<Input, Value, Failure>) {
      inner.index.store(inners.count, ordering: .relaxed)
      inner.number.store(nextNumber, ordering: .relaxed)
      nextNumber += 1
      inners.append(inner)
    }

    /// Sorts the inner signals by their start.
    @usableFromInline
    mutating func sortInners() {
      inners.sort { $0.number.load(ordering: .relaxed) < $1.number.load(ordering: .relaxed) }
    }

    /// Returns the end of the stage, if the outer signal is done and no inner signal can send further events.
    ///
    /// Mutating, so that the state is not copied.
    @inlinable
    mutating func finalEnd(_ limit: Int) -> End<Value, Failure>? {
      guard let end = outerEnd?.end, !isStarting, !isTerminated else { return nil }
      if inners.isEmpty { return waiting.isEmpty ? (isLastSilent && !end.isUnreachable ? .abandoned : end) : nil }
      guard waiting.isEmpty || inners.count >= limit else { return nil }
      return hasReachableInner() ? nil : .unreachable
    }

    /// Returns whether an inner signal can still send events.
    ///
    /// The search starts where the last one ended; otherwise each end would visit all unreachable ones again.
    @inlinable
    mutating func hasReachableInner() -> Bool {
      for offset in inners.indices {
        let index = (reachableIndex + offset) % inners.count
        if inners[index].isUnreachable { continue }
        reachableIndex = index
        return true
      }
      return false
    }

    @inlinable
    mutating func takeAll() -> State {
      var taken = State(nil)
      swap(&self, &taken)
      isTerminated = true
      return taken
    }
  }

  /// The maximum nesting of synchronous flattenings; 32 levels take about 20 KB of stack, far less than the 512 KiB of
  /// a secondary thread.
  @inlinable static var depthLimit: Int { 32 }

  @usableFromInline let transform: @Sendable (Input) -> Signal<Value, Failure>
  @usableFromInline let strategy: FlattenStrategy
  @usableFromInline let depth: Int
  @usableFromInline let pressure: Pressure?
  /// Whether the stage is inside another flattening, which may be bypassed (7).
  @usableFromInline let isNested: Bool
  @usableFromInline let starts: DeferredStarts?
  @usableFromInline let outer = Disposable()
  @usableFromInline let gate: Gate<Value, Failure>
  @usableFromInline let pendingCount = Atomic<Int>(0)
  @usableFromInline let isReleased = Atomic<Bool>(false)
  @usableFromInline let tailCall = TailCall()
  @usableFromInline let state: Guarded<State>

  @inlinable
  init(
    _ downstream: consuming Downstream<Value, Failure>, _ strategy: FlattenStrategy,
    _ transform: @escaping @Sendable (Input) -> Signal<Value, Failure>
  ) {
    gate = Gate(next: downstream.next, end: downstream.end)
    depth = downstream.depth
    pressure = downstream.pressure
    isNested = downstream.bypass != nil
    starts = strategy.kind == .latest ? DeferredStarts(before: downstream.starts) : downstream.starts
    self.strategy = strategy
    self.transform = transform
    state = Guarded(State(consume downstream))
  }

  @inlinable var isDisposed: Bool { gate.isDisposed }
  @inlinable var hasPending: Bool { pendingCount.load(ordering: .acquiring) > 0 }

  /// Starts the outer signal and returns the inner signal to run as a tail call, if there is one already.
  @inlinable
  func start(_ source: Signal<Input, Failure>, in downstream: Downstream<Value, Failure>) -> Signal<Value, Failure>? {
    downstream.scope.hold(self)
    source.run(
      in: Downstream(
        next: { self.next($0) }, end: { self.end($0) }, scope: outer, subscription: downstream.subscription,
        depth: depth, pressure: pressure, starts: starts))
    if tailCall.claimTail() {
      // Released here, where the types are known: a scope that drops the stage knows them only at run time.
      isReleased.store(true, ordering: .releasing)
      var previous = state.withLock { $0.takeAll() }
      return previous.waiting.popFirst()
    }
    if depth >= FlatMap.depthLimit { return startWaiting() }
    return nil
  }

  /// Receives a value of the outer signal (2).
  @inlinable
  func next(_ value: Input) {
    if isDisposed { return }
    // An inner signal deferred at the depth limit (6) runs before the outer's next value, to keep the order.
    if isTooDeep, hasPending { startNext() }
    if hasPending, strategy.kind == .latest { starts?.startFromCurrentDelivery() }
    guard hasPending else {
      let signal = transform(value)
      if case .ready(let value) = signal.kind { return gate.emit(value) }
      let inner = signal.resolved()
      switch inner.kind {
      case .ready(let value): gate.emit(value)
      case .empty: break
      default: admit(inner)
      }
      return
    }
    // A teardown may send while the stage fails, before its gate is closed.
    if isReleased.load(ordering: .acquiring) { return }
    if strategy.kind != .exhaust { admit(transform(value)) }
  }

  /// Receives the end of the outer signal (2).
  @inlinable
  func end(_ end: End<Input, Failure>) {
    switch end {
    case .last(let value):
      if hasPending, strategy.kind == .latest { starts?.startFromCurrentDelivery() }
      if hasPending || isDisposed {
        next(value)
        return outerEnded()
      }
      let inner = transform(value).resolved()
      if case .ready(let value) = inner.kind { return finish(.last(value)) }
      guard gate.enter() else { return gate.enqueue { self.runAsTailCall(inner) } }
      runAsTailCall(inner)
      gate.leave()
    case .failed(let failure): finish(.failed(failure))
    case .completed: outerEnded()
    case .abandoned: outerEnded(.abandoned)
    case .unreachable: outerEnded(.unreachable)
    }
  }

  /// Sends a value of an inner signal (1, 4).
  @inlinable
  func deliver(_ value: Value, from inner: Inner<Input, Value, Failure>) {
    guard gate.enter() else { return deliverLater(value, from: inner) }
    if !inner.isCancelled { gate.send(value) }
    gate.leave()
  }

  @inlinable @inline(never)
  func deliverLater(_ value: Value, from inner: Inner<Input, Value, Failure>) {
    gate.enqueue { if !inner.isCancelled { self.gate.send(value) } }
  }
}
