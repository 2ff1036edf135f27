import Synchronization

/// Puts off the start of a flattening's inner signal until the source has left its gate.
///
/// A start may take long, and while its thread is inside the source's gate, newer values of the source wait there. A source
/// with a gate of its own holds the starts while it delivers, so that `.latest` can replace an inner that is being started.
/// Of several values in one delivery only the last inner signal is put off: the others start in their turn.
@usableFromInline
final class DeferredStarts: Sendable {
  private struct Pending {
    let start: @Sendable () -> Void
    /// How many deliveries had begun by then.
    let deliveryCount: Int
  }

  private let holdCount = Atomic<Int>(0)
  private let deliveryCount = Atomic<Int>(0)
  private let pending = Guarded<Pending?>(nil)
  /// That of the next such flattening downstream.
  @usableFromInline let beyond: DeferredStarts?

  @usableFromInline
  init(before beyond: DeferredStarts?) {
    self.beyond = beyond
  }

  /// Whether a source is delivering.
  @usableFromInline var isHeld: Bool { holdCount.load(ordering: .sequentiallyConsistent) > 0 }

  /// Called by the flattening when an inner signal waits: `true` leaves its start to a source that is delivering.
  @usableFromInline
  func isDeferred(_ start: @escaping @Sendable () -> Void) -> Bool {
    pending.withLock { pending in
      // Inside the lock, which a source that resumes takes after it has counted down.
      guard isHeld else { return false }
      pending = Pending(start: start, deliveryCount: deliveryCount.load(ordering: .sequentiallyConsistent))
      return true
    }
  }

  /// Called by the flattening before its next value: starts what is put off, if that came in the same delivery.
  @usableFromInline
  func startOverdue() {
    let overdue = pending.withLock { pending -> Pending? in
      guard pending?.deliveryCount == deliveryCount.load(ordering: .sequentiallyConsistent) else { return nil }
      return pending.take()
    }
    overdue?.start()
  }

  /// Called by a source before it enters its gate to deliver.
  @usableFromInline
  func hold() {
    deliveryCount.add(1, ordering: .sequentiallyConsistent)
    holdCount.add(1, ordering: .sequentiallyConsistent)
    beyond?.hold()
  }

  /// Called by the source when it has left its gate.
  @usableFromInline
  func resume() {
    holdCount.subtract(1, ordering: .sequentiallyConsistent)
    let overdue = pending.withLock { $0.take() }
    overdue?.start()
    beyond?.resume()
  }
}
