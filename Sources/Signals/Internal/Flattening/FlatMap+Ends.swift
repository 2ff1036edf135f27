public import Synchronization

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

  /// Runs the outer's last inner signal as a tail call in place of this stage.
  ///
  /// Called inside the gate while nothing is pending (2).
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

  /// Ends silently, for an owner of the outer signal.
  @inlinable
  func abandon() { finish(.abandoned) }

  /// Disposes everything upstream and frees the queue; idempotent.
  @inlinable
  func release() {
    // Called at every end, and again by the scope that drops the stage.
    if isReleased.exchange(true, ordering: .acquiringAndReleasing) { return }
    let previous = state.withLock { $0.takeAll() }
    outer.dispose()
    for inner in previous.inners { inner.dispose(in: self) }
    for leftover in previous.leftovers { leftover.dispose() }
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
