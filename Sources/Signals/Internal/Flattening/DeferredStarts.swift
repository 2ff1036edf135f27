import Synchronization

/// The deferral of a flattening's inner starts until the source has left its gate.
///
/// A start may take a long time. While its thread is inside the source's gate, newer values of the source are queued
/// there. A source with its own gate therefore defers the starts while it delivers, so that `.latest` can replace an
/// inner signal that is being started. If one delivery contains several values, only the start of the last inner
/// signal is deferred; the others start in order.
///
/// The gate of the first source is watched, which costs that source nothing for each event: its state is read when an
/// inner signal is to start. Further sources, and hubs, mark their deliveries. In both cases a source that has
/// stopped delivering looks for a deferred start, and a start that has been deferred looks for the source again. The
/// order of these accesses is sequentially consistent, so one of the two finds the other.
@usableFromInline
final class DeferredStarts: Sendable {
  private struct Pending {
    let start: @Sendable () -> Void
    /// The number of deliveries begun when the start was deferred.
    let deliveryCount: Int
  }

  private struct State {
    var pending: Pending?
    /// The gate of the first source, released with the source's token.
    var watched: (any WatchedGate)?
  }

  /// The number of marked deliveries in progress.
  private let holdCount = Atomic<Int>(0)
  /// The number of marked deliveries begun.
  private let markedCount = Atomic<Int>(0)
  /// Whether a start is deferred; written inside the lock.
  private let isPending = Atomic<Bool>(false)
  private let state = Guarded(State())
  /// The deferred starts of the next such flattening downstream.
  @usableFromInline let nextDownstream: DeferredStarts?

  @usableFromInline
  init(before nextDownstream: DeferredStarts?) {
    self.nextDownstream = nextDownstream
  }

  /// Watches the gate of a source, unless another one is watched; a source that is not watched marks its deliveries.
  @usableFromInline
  func watch(_ gate: any WatchedGate) -> Bool {
    // Not if there are flattenings further downstream, which would have to watch it, too.
    if nextDownstream != nil { return false }
    return state.withLock { state in
      if state.watched != nil { return false }
      state.watched = gate
      return true
    }
  }

  /// Stops watching; called by the watched source.
  @usableFromInline
  func unwatch() {
    let gate = state.withLock { state in
      let gate = state.watched.take()
      // Added here, so that the sum by which a pending start is recognized stays the same.
      if let gate { markedCount.add(gate.deliveryCount, ordering: .sequentiallyConsistent) }
      return gate
    }
    withExtendedLifetime(gate) {}
  }

  /// Defers the start of an inner signal if a source is delivering, and returns whether it did; called by the
  /// flattening when an inner signal is ready to start.
  @usableFromInline
  func deferIfDelivering(_ start: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      // This thread sets the mark and then checks the sources; a source stops delivering and then checks the mark.
      setPending(true, state)
      guard holdCount.load(ordering: .sequentiallyConsistent) > 0 || state.watched?.isBusy == true else {
        if state.pending == nil { setPending(false, state) }
        return false
      }
      // A start that is already pending belongs to the same flattening, so no object of a caller is freed here.
      state.pending = Pending(start: start, deliveryCount: deliveryCount(state))
      return true
    }
  }

  /// Starts the deferred inner signal if it was deferred in the current delivery; called by the flattening before its
  /// next value.
  @usableFromInline
  func startFromCurrentDelivery() {
    if isPending.load(ordering: .sequentiallyConsistent) {
      take { $0.pending?.deliveryCount == deliveryCount($0) }?.start()
    }
  }

  /// Starts the deferred inner signal, if there is one; called by a source after it has left its gate.
  @usableFromInline
  func startPending() { take { _ in true }?.start() }

  private func take(_ isDue: (borrowing State) -> Bool) -> Pending? {
    state.withLock { state -> Pending? in
      guard isDue(state), let pending = state.pending.take() else { return nil }
      setPending(false, state)
      return pending
    }
  }

  private func setPending(_ isPending: Bool, _ state: borrowing State) {
    // The marks change inside the lock, so a source that reads an outdated mark finds nothing to start.
    if isPending {
      _ = self.isPending.exchange(true, ordering: .sequentiallyConsistent)
    } else {
      self.isPending.store(false, ordering: .relaxed)
    }
    state.watched?.setDeferred(isPending)
  }

  private func deliveryCount(_ state: borrowing State) -> Int {
    markedCount.load(ordering: .sequentiallyConsistent) &+ (state.watched?.deliveryCount ?? 0)
  }

  /// Marks the start of a delivery; called by a source before it enters its gate.
  @usableFromInline
  func hold() {
    markedCount.add(1, ordering: .sequentiallyConsistent)
    holdCount.add(1, ordering: .sequentiallyConsistent)
    nextDownstream?.hold()
  }

  /// Marks the end of a delivery and starts the deferred inner signal; called by a source after it has left its gate.
  @usableFromInline
  func resume() {
    holdCount.subtract(1, ordering: .sequentiallyConsistent)
    if isPending.load(ordering: .sequentiallyConsistent) { startPending() }
    nextDownstream?.resume()
  }
}
