public import Synchronization

/// One inner signal while it runs.
@usableFromInline
final class Inner<Input: Sendable, Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let scope = Disposable()
  @usableFromInline let parent: FlatMap<Input, Value, Failure>

  @inlinable
  init(_ parent: FlatMap<Input, Value, Failure>) {
    self.parent = parent
  }

  @inlinable
  func end(_ end: End<Value, Failure>) {
    guard !scope.isCancelled else { return }
    switch end {
    case .last(let value):
      parent.deliver(value, from: scope)
      parent.innerCompleted(self)
    case .failed(let failure): parent.finish(.failed(failure))
    case .completed: parent.innerCompleted(self)
    }
  }
}

extension FlatMap {
  @usableFromInline typealias Child = Inner<Input, Value, Failure>

  /// Takes in an inner: it starts now, waits, takes the place of another or is dropped, as the strategy says.
  @inlinable
  func admit(_ inner: Inners, isAlone: Bool) {
    if isAlone, let child = addFirst() { return run(child, inner) }
    var replaced: [Disposable] = []
    // Freed outside the lock, like all that others have made.
    var dropped = Waiting<Inners>()
    let mayStart = state.withLock { state in
      guard !state.isOver else { return false }
      switch strategy.kind {
      case .latest:
        swap(&replaced, &state.inners)
        swap(&dropped, &state.waiting)
        state.waiting.append(inner)
      case .exhaust:
        if state.inners.isEmpty && state.waiting.isEmpty { state.waiting.append(inner) }
      case .queued: state.waiting.append(inner)
      }
      count(state)
      return !isTooDeep
    }
    withExtendedLifetime(dropped) {}
    for scope in replaced { scope.dispose() }
    if mayStart { startNext() }
  }

  /// Makes room for an inner that is the only one; `nil` if it has to take its turn all the same.
  @inlinable
  func addFirst() -> Child? {
    let child = Child(self)
    let isAdded = state.withLock { state in
      if state.isOver || state.isStarting || isTooDeep { return false }
      state.inners.append(child.scope)
      pendingCount.store(1, ordering: .releasing)
      return true
    }
    return isAdded ? child : nil
  }

  /// At the depth limit inners wait until their outer has been started; asked inside the lock, so that none is missed.
  @inlinable var isTooDeep: Bool { depth >= FlatMap.depthLimit && !handover.isStarted }

  @inlinable
  func count(_ state: State) {
    pendingCount.store(state.inners.count + state.waiting.count, ordering: .releasing)
  }

  @inlinable
  func run(_ child: Child, _ signal: Inners) {
    signal.run(
      in: Continuation(
        sink: Sink(
          next: { child.parent.deliver($0, from: child.scope) }, end: { child.end($0) },
          shortcut: { child.parent.shortcut() }, depth: depth + 1),
        scope: child.scope))
  }

  /// Starts waiting inners while there is room; one thread at a time and in a loop, so that synchronous inners do not
  /// nest.
  @inlinable
  func startNext() {
    var isFirst = true
    while true {
      let child = Child(self)
      guard let signal = takeNext(child, isFirst: isFirst) else { return }
      isFirst = false
      run(child, signal)
    }
  }

  /// The next inner that may run; if there is none and nothing is left to wait for, completes.
  @inlinable
  func takeNext(_ child: Child, isFirst: Bool) -> Inners? {
    var isComplete = false
    let next = state.withLock { state -> Inners? in
      if state.isOver || (isFirst && state.isStarting) { return nil }
      guard state.inners.count < strategy.limit, let signal = state.waiting.popFirst() else {
        state.isStarting = false
        isComplete = state.isOuterDone && state.inners.isEmpty && state.waiting.isEmpty
        return nil
      }
      state.isStarting = true
      state.inners.append(child.scope)
      return signal
    }
    if isComplete { finish(.completed) }
    return next
  }

  @inlinable
  func innerCompleted(_ inner: Child) {
    var isComplete = false
    let hasMore = state.withLock { state in
      guard let index = state.inners.firstIndex(where: { $0 === inner.scope }) else { return false }
      state.inners.swapAt(index, state.inners.count - 1)
      state.inners.removeLast()
      count(state)
      if !state.waiting.isEmpty { return true }
      isComplete = state.isOuterDone && state.inners.isEmpty && !state.isStarting
      return false
    }
    inner.scope.letGo()
    if hasMore { startNext() } else if isComplete { finish(.completed) }
  }

  @inlinable
  func outerCompleted() {
    var isComplete = false
    state.withLock { state in
      state.isOuterDone = true
      isComplete = state.inners.isEmpty && state.waiting.isEmpty && !state.isStarting && !state.isOver
    }
    if isComplete { finish(.completed) }
  }

  /// At the depth limit, once the outer has been started: starts what had to wait, an only one as our tail.
  @inlinable
  func startWaiting() -> Inners? {
    let only = state.withLock { state -> Inners? in
      guard state.isOuterDone, state.inners.isEmpty, state.waiting.count == 1 else { return nil }
      return state.waiting.popFirst()
    }
    if only == nil { startNext() }
    return only
  }

  /// Moves on past flattenings around us that have nothing left to do; only in the outer's delivery, while alone.
  @inlinable
  func shorten() {
    let old = place
    let current = old._withUnsafeGuaranteedRef { $0.continuation }
    guard current.sink.shortcut != nil, handover.isStarted else { return }
    let shorter = current.shortened
    guard shorter.scope !== current.scope else { return }
    place = .passRetained(Place(shorter))
    old.release()
    shorter.scope.hold(self)
  }

  /// What lies beyond us, if our outer is done and one inner is left: it writes there directly from now on, and we are
  /// out of the way and free.
  @usableFromInline
  func shortcut() -> Continuation<Value, Failure>? {
    guard handover.isStarted, gate.isIdle else { return nil }
    let isLast = state.withLock { state in
      guard state.isOuterDone, state.inners.count == 1, state.waiting.isEmpty, !state.isOver else { return false }
      state.isOver = true
      state.inners = []
      return true
    }
    guard isLast else { return nil }
    gate.close()
    return place._withUnsafeGuaranteedRef { $0.continuation }
  }
}
