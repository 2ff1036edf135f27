public import Synchronization

/// How a flattening ends; the numbers are those of the invariants of `FlatMap`.
extension FlatMap {
  /// Ends it all, after what waits at the gate (1); not if it is the end of an inner signal that is cancelled (4).
  @inlinable
  func finish(_ end: End<Value, Failure>, from inner: Inner<Input, Value, Failure>? = nil) {
    gate.run {
      if inner?.isCancelled == true { return }
      if end.isUnreachable { self.letGo() } else { self.release() }
      self.gate.finish(end)
    }
  }

  /// The outer's last inner signal runs in our place; inside the gate, and nothing is pending (2).
  @inlinable
  func handOver(to inner: Signal<Value, Failure>) {
    guard gate.close() else { return }
    gate.cut()
    if handover.leave({ self.state.withLock { $0.waiting.append(inner) } }) { return outer.dispose() }
    let downstream = state.withLock { $0.downstream.take() }
    release()
    if let downstream { inner.run(in: downstream.shortened) }
  }

  @inlinable
  func dispose() {
    gate.dispose()
    release()
  }

  /// Disposes everything upstream and frees what waits; idempotent.
  @inlinable
  func release() {
    // At every end, and once more by the scope that drops us.
    if isReleased.exchange(true, ordering: .acquiringAndReleasing) { return }
    let before = state.withLock { $0.takeAll() }
    outer.dispose()
    for inner in before.inners { inner.dispose(in: self) }
    for leftover in before.leftovers { leftover.dispose() }
  }

  /// Frees all but the teardowns, which wait for the disposal.
  @usableFromInline
  func letGo() {
    let before = state.withLock { state in
      let before = state
      state = State(nil)
      state.leftovers = before.inners.compactMap { $0.takeUpstream() }
      return before
    }
    withExtendedLifetime(before) {}
  }
}
