public import Synchronization

/// The admission, start and end of inner signals; the numbers refer to the invariants of `FlatMap`.
extension FlatMap {
  @usableFromInline typealias Child = Inner<Input, Value, Failure>

  /// Admits an inner signal: by strategy, it starts, is queued, replaces another or is dropped.
  @inlinable
  func admit(_ inner: Signal<Value, Failure>) {
    if let child = addIfIdle(inner) { return child.run(inner, in: self) }
    var replaced: [Child] = []
    // Freed outside the lock, like all objects of callers.
    var dropped = FIFOQueue<Signal<Value, Failure>>()
    let mayStart = state.withLock { state in
      guard !state.isTerminated else { return false }
      switch strategy.kind {
      case .latest:
        // Not swapped if empty, so that the memory is reused for the next inner signal.
        if !state.inners.isEmpty { swap(&replaced, &state.inners) }
        if !state.waiting.isEmpty { swap(&dropped, &state.waiting) }
        state.waiting.append(inner)
      case .exhaust:
        if state.inners.isEmpty && state.waiting.isEmpty { state.waiting.append(inner) }
      case .queued: state.waiting.append(inner)
      }
      pendingCount.store(state.pendingCount, ordering: .releasing)
      // Checked inside the lock, so that no start is missed (6).
      return !isTooDeep
    }
    withExtendedLifetime(dropped) {}
    for child in replaced { child.dispose(in: self) }
    guard mayStart else { return }
    if strategy.kind == .latest, starts?.deferIfDelivering({ self.startNext() }) == true { return }
    startNext()
  }

  /// Adds an inner signal directly if no other is pending; returns `nil` if it must be queued.
  @inlinable
  func addIfIdle(_ inner: Signal<Value, Failure>) -> Child? {
    if hasPending || isTooDeep || (starts != nil && strategy.kind == .latest) { return nil }
    let child = Child.make(self, for: inner)
    let isAdded = state.withLock { state in
      if state.isTerminated || state.isStarting { return false }
      state.add(child)
      pendingCount.store(1, ordering: .releasing)
      return true
    }
    if isAdded { return child }
    child.tearDown()
    return nil
  }

  /// Whether inner signals must be queued at the depth limit until their outer signal has been started (6).
  @inlinable var isTooDeep: Bool { depth >= FlatMap.depthLimit && !tailCall.isStarted }

  /// Starts queued inner signals up to the concurrency limit (3).
  @inlinable
  func startNext() {
    var isFirst = true
    while let (child, signal) = takeNext(isFirst: isFirst) {
      isFirst = false
      child.run(signal, in: self)
    }
  }

  /// Returns the next inner signal to start (3); if none is left and nothing is pending, completes.
  @inlinable
  func takeNext(isFirst: Bool) -> (Child, Signal<Value, Failure>)? {
    var end: End<Value, Failure>?
    let next = state.withLock { state -> (Child, Signal<Value, Failure>)? in
      if state.isTerminated || (isFirst && state.isStarting) { return nil }
      guard state.inners.count < strategy.limit, let signal = state.waiting.popFirst() else {
        state.isStarting = false
        end = state.finalEnd(strategy.limit)
        return nil
      }
      state.isStarting = true
      state.isLastSilent = false
      let child = Child.make(self, for: signal)
      state.add(child)
      return (child, signal)
    }
    if let end { finish(end) }
    return next
  }

  /// Handles an inner signal that completed or ended silently (5); ignores one that is no longer on the list.
  @inlinable
  func innerEnded(_ inner: Child, isSilent: Bool = false) {
    var end: End<Value, Failure>?
    // Torn down first, because another thread may start the next inner signal once this one is off the list.
    inner.tearDown()
    let mayStart = state.withLock { state in
      guard state.remove(inner) else { return false }
      state.isLastSilent = isSilent
      pendingCount.store(state.pendingCount, ordering: .releasing)
      if !state.waiting.isEmpty { return true }
      end = state.finalEnd(strategy.limit)
      return false
    }
    if mayStart { startNext() } else if let end { finish(end) }
  }

  /// Handles an unreachable inner signal, which still counts because it has not completed.
  @usableFromInline
  func innerBecameUnreachable() {
    if let end = state.withLock({ $0.finalEnd(strategy.limit) }) { finish(end) }
  }

  @inlinable
  func outerEnded(_ outerEnd: OuterEnd = .completed) {
    let end = state.withLock { state in
      state.outerEnd = outerEnd
      // The flattening has continued since the last inner signal ended silently, so that end is not its own.
      state.isLastSilent = false
      return state.finalEnd(strategy.limit)
    }
    if outerEnd != .unreachable { outer.dispose() }
    if let end { finish(end) } else if outerEnd != .unreachable { shorten() }
  }

  /// Starts the queued inner signals after the outer has been started at the depth limit (6); returns a single queued
  /// inner signal as a tail call.
  @inlinable
  func startWaiting() -> Signal<Value, Failure>? {
    var previous = state.withLock { state -> State? in
      guard case .completed? = state.outerEnd, state.inners.isEmpty, state.waiting.count == 1, !state.isTerminated,
        gate.closeIfIdle()
      else { return nil }
      return state.takeAll()
    }
    let only = previous?.waiting.popFirst()
    if only == nil { startNext() } else { isReleased.store(true, ordering: .releasing) }
    return only
  }

  /// Replaces the downstream to bypass surrounding flattenings that have no other work (7).
  ///
  /// Called when the outer signal has been disposed: before, an owner might yet be bound in it, for whom the inner
  /// signal around it must still be there.
  @inlinable
  func shorten() {
    guard isNested, tailCall.isStarted else { return }
    gate.run {
      // A queued inner signal will run as a tail call in the downstream, which must still be there.
      let current = self.state.withLock { $0.waiting.isEmpty ? $0.downstream : nil }
      guard let current, current.bypass != nil, case let found = current.shortened, found.scope !== current.scope
      else { return }
      self.gate.next = found.next
      self.gate.end = found.end
      self.state.withLock { if !$0.isTerminated { $0.downstream = found } }
      found.scope.hold(self)
    }
  }

  /// Closes the stage and returns its downstream, to which an inner signal sends directly from then on (7); returns
  /// `nil` if other work is left, or if the inner signal has been replaced.
  @inlinable
  func bypass(_ inner: Child) -> Downstream<Value, Failure>? {
    guard tailCall.isStarted else { return nil }
    let previous = state.withLock { state -> State? in
      guard case .completed? = state.outerEnd, state.inners.count == 1, state.waiting.isEmpty, !state.isTerminated,
        // An owner's deinit ends an inner signal through its parent.
        state.inners.last === inner, !inner.isBound, !inner.isCancelled, gate.closeIfIdle()
      else { return nil }
      return state.takeAll()
    }
    guard let previous else { return nil }
    isReleased.store(true, ordering: .releasing)
    inner.scope?.retire()
    return previous.downstream
  }
}

/// The termination of a flattening; the numbers refer to the invariants of `FlatMap`.
extension FlatMap {
  /// Terminates the stage after the queued jobs of the gate (1), unless the end is from a cancelled inner signal (4).
  @inlinable
  func finish(_ end: End<Value, Failure>, from inner: Inner<Input, Value, Failure>? = nil) {
    gate.run {
      if inner?.isCancelled == true { return }
      if end.isUnreachable { self.detach() } else { self.release() }
      self.gate.finish(end)
    }
  }

  /// Runs the outer's last inner signal as a tail call in place of this stage; called inside the gate while nothing is
  /// pending (2).
  @inlinable
  func runAsTailCall(_ inner: Signal<Value, Failure>) {
    guard gate.close() else { return }
    gate.cut()
    let isLeftToStarter = tailCall.leave {
      self.state.withLock { state in
        state.waiting.append(inner)
        // Only the starter may take it: a thread that is still starting inner signals would start it behind the gate.
        state.isTerminated = true
      }
    }
    if isLeftToStarter { return outer.dispose() }
    let downstream = state.withLock { $0.downstream.take() }
    release()
    if let downstream { inner.run(in: downstream.shortened) }
  }

  @inlinable
  func dispose() {
    gate.dispose()
    release()
  }

  /// Disposes the inner signals, newest first, then the outer one, and frees the queue; idempotent.
  @inlinable
  func release() {
    // Called at every end, and again by the scope that drops the stage.
    if isReleased.exchange(true, ordering: .acquiringAndReleasing) { return }
    var previous = state.withLock { $0.takeAll() }
    if previous.isShuffled { previous.sortInners() }
    for inner in previous.inners.reversed() { inner.dispose(in: self) }
    for leftover in previous.leftovers.reversed() { leftover.dispose() }
    outer.dispose()
  }

  /// Frees everything except the teardowns, which run at disposal.
  @usableFromInline
  func detach() {
    let previous = state.withLock { state in
      let previous = state
      state = State(nil)
      state.leftovers = previous.inners.compactMap { $0.takeUpstream() }
      return previous
    }
    withExtendedLifetime(previous) {}
  }
}
