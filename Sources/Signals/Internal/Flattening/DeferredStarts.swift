import Synchronization

/// Deferral of a flattening's inner start until the source has left its gate.
///
/// A start may take long. While its thread is inside the source's gate, newer values of the source are queued there. A
/// source with its own gate therefore defers the starts while it delivers, so that `.latest` can replace an inner
/// signal that is being started. If one delivery contains several values, only the start of the last inner signal is
/// deferred; the others start in order.
@usableFromInline
final class DeferredStarts: Sendable {
  private struct Pending {
    let start: @Sendable () -> Void
    /// The number of deliveries begun when the start was deferred.
    let deliveryCount: Int
  }

  private let holdCount = Atomic<Int>(0)
  private let deliveryCount = Atomic<Int>(0)
  private let pending = Guarded<Pending?>(nil)
  /// The deferred starts of the next such flattening downstream.
  @usableFromInline let beyond: DeferredStarts?

  @usableFromInline
  init(before beyond: DeferredStarts?) {
    self.beyond = beyond
  }

  /// Whether a source is delivering.
  @usableFromInline var isHeld: Bool { holdCount.load(ordering: .sequentiallyConsistent) > 0 }

  /// Defers the start of an inner signal if a source is delivering, and returns whether it did.
  ///
  /// Called by the flattening when an inner signal is ready to start.
  @usableFromInline
  func isDeferred(_ start: @escaping @Sendable () -> Void) -> Bool {
    pending.withLock { pending in
      // Checked inside the lock, which a resuming source takes after it has decremented the count.
      guard isHeld else { return false }
      pending = Pending(start: start, deliveryCount: deliveryCount.load(ordering: .sequentiallyConsistent))
      return true
    }
  }

  /// Starts the deferred inner signal if it was deferred in the current delivery.
  ///
  /// Called by the flattening before its next value.
  @usableFromInline
  func startOverdue() {
    let overdue = pending.withLock { pending -> Pending? in
      guard pending?.deliveryCount == deliveryCount.load(ordering: .sequentiallyConsistent) else { return nil }
      return pending.take()
    }
    overdue?.start()
  }

  /// Begins a delivery; called by a source before it enters its gate.
  @usableFromInline
  func hold() {
    deliveryCount.add(1, ordering: .sequentiallyConsistent)
    holdCount.add(1, ordering: .sequentiallyConsistent)
    beyond?.hold()
  }

  /// Ends a delivery and starts the deferred inner signal; called by a source after it has left its gate.
  @usableFromInline
  func resume() {
    holdCount.subtract(1, ordering: .sequentiallyConsistent)
    let overdue = pending.withLock { $0.take() }
    overdue?.start()
    beyond?.resume()
  }
}
