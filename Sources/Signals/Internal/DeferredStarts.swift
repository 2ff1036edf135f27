import Synchronization

/// Puts off the starts of a flattening's inner signals until the source has left its gate.
///
/// A start may take long, and while its thread is inside the source's gate, newer values of the source wait there. A source
/// with a gate of its own holds the starts while it delivers, so that `.latest` can replace an inner that is being started.
@usableFromInline
final class DeferredStarts: Sendable {
  private let holdCount = Atomic<Int>(0)
  private let pending = Guarded<(@Sendable () -> Void)?>(nil)
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
      guard holdCount.load(ordering: .sequentiallyConsistent) > 0 else { return false }
      pending = start
      return true
    }
  }

  /// Called by a source inside its gate, before it delivers.
  @usableFromInline
  func hold() {
    holdCount.add(1, ordering: .sequentiallyConsistent)
    beyond?.hold()
  }

  /// Called by the source when it has left its gate.
  @usableFromInline
  func resume() {
    holdCount.subtract(1, ordering: .sequentiallyConsistent)
    let start = pending.withLock { $0.take() }
    start?()
    beyond?.resume()
  }
}
