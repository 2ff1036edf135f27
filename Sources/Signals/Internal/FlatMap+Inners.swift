public import Synchronization

/// One inner signal while it runs.
///
/// Plain work gets its emitter at once and nothing else; what is made of stages gets a scope to run in.
@usableFromInline
final class Inner<Input: Sendable, Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let parent: FlatMap<Input, Value, Failure>
  @usableFromInline let cancelled = Atomic<Bool>(false)
  @usableFromInline let scope: Disposable?
  // Set before anybody else sees the inner.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var emitter: Emitter<Value, Failure>?

  @inlinable
  init(_ parent: FlatMap<Input, Value, Failure>, scope: Disposable?) {
    self.parent = parent
    self.scope = scope
  }

  @inlinable
  static func make(_ parent: FlatMap<Input, Value, Failure>, for signal: Signal<Value, Failure>) -> Inner {
    guard case .create = signal.kind else { return Inner(parent, scope: Disposable()) }
    let inner = Inner(parent, scope: nil)
    inner.emitter = Emitter(next: { inner.parent.deliver($0, from: inner) }, end: { inner.end($0) })
    return inner
  }

  @inlinable var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  @inlinable
  func run(_ signal: Signal<Value, Failure>) {
    if let emitter, case .create(let start) = signal.kind {
      // Mostly there is none, and so it is neither retained nor released.
      if let pressure = parent.pressure { return emitter.start(start, under: pressure) }
      return emitter.start(start, under: nil)
    }
    guard let scope else { return }
    signal.run(
      in: Continuation(
        sink: Sink(
          next: { self.parent.deliver($0, from: self) }, end: { self.end($0) },
          shortcut: { self.parent.shortcut() }, depth: parent.depth + 1, pressure: parent.pressure),
        scope: scope))
  }

  @inlinable
  func end(_ end: End<Value, Failure>) {
    guard !isCancelled else { return }
    switch end {
    case .last(let value):
      parent.deliver(value, from: self)
      parent.innerCompleted(self)
    case .failed(let failure): parent.finish(.failed(failure))
    case .completed: parent.innerCompleted(self)
    }
  }

  @inlinable
  func cancel() {
    cancelled.store(true, ordering: .releasing)
    emitter?.cancel()
    scope?.dispose()
  }
}

extension FlatMap {
  @usableFromInline typealias Child = Inner<Input, Value, Failure>

  /// Takes in an inner: it starts now, waits, takes the place of another or is dropped, as the strategy says.
  @inlinable
  func admit(_ inner: Inners, isAlone: Bool) {
    if isAlone, let child = addFirst(inner) { return child.run(inner) }
    var replaced: [Child] = []
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
    for child in replaced { child.cancel() }
    if mayStart { startNext() }
  }

  /// Makes room for an inner that is the only one; `nil` if it has to take its turn all the same.
  @inlinable
  func addFirst(_ inner: Inners) -> Child? {
    let child = Child.make(self, for: inner)
    let isAdded = state.withLock { state in
      if state.isOver || state.isStarting || isTooDeep { return false }
      state.inners.append(child)
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

  /// Starts waiting inners while there is room; one thread at a time and in a loop, so that synchronous inners do not
  /// nest.
  @inlinable
  func startNext() {
    var isFirst = true
    while let (child, signal) = takeNext(isFirst: isFirst) {
      isFirst = false
      child.run(signal)
    }
  }

  /// The next inner that may run; if there is none and nothing is left to wait for, completes.
  @inlinable
  func takeNext(isFirst: Bool) -> (Child, Inners)? {
    var isComplete = false
    let next = state.withLock { state -> (Child, Inners)? in
      if state.isOver || (isFirst && state.isStarting) { return nil }
      guard state.inners.count < strategy.limit, let signal = state.waiting.popFirst() else {
        state.isStarting = false
        isComplete = state.isOuterDone && state.inners.isEmpty && state.waiting.isEmpty
        return nil
      }
      state.isStarting = true
      let child = Child.make(self, for: signal)
      state.inners.append(child)
      return (child, signal)
    }
    if isComplete { finish(.completed) }
    return next
  }

  @inlinable
  func innerCompleted(_ inner: Child) {
    var isComplete = false
    let hasMore = state.withLock { state in
      if let last = state.inners.last, last === inner {
        state.inners.removeLast()
      } else {
        guard let index = state.inners.firstIndex(where: { $0 === inner }) else { return false }
        state.inners.swapAt(index, state.inners.count - 1)
        state.inners.removeLast()
      }
      count(state)
      if !state.waiting.isEmpty { return true }
      isComplete = state.isOuterDone && state.inners.isEmpty && !state.isStarting
      return false
    }
    inner.scope?.letGo()
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
    var bypassed: [Child] = []
    state.withLock { state in
      guard state.isOuterDone, state.inners.count == 1, state.waiting.isEmpty, !state.isOver else { return }
      state.isOver = true
      swap(&bypassed, &state.inners)
    }
    if bypassed.isEmpty { return nil }
    gate.close()
    return place._withUnsafeGuaranteedRef { $0.continuation }
  }
}
