public import Synchronization

/// A value behind a `Mutex`, with lock transfers that are visible to ThreadSanitizer.
///
/// On Linux, the kernel transfers a contended `Mutex` from one thread to the next (`FUTEX_LOCK_PI`) without an atomic
/// operation by the new owner that the sanitizer knows. It would report a race at each transfer. There, each owner
/// therefore acquires an extra word that the previous owner released. The cost is two plain moves on x86-64. Built by a
/// compiler before 6.3, it has no such word, and the sanitizer may report races that are none.
@usableFromInline
package struct Guarded<Value>: ~Copyable, Sendable {
  @usableFromInline let mutex: Mutex<Value>
  #if os(Linux) && compiler(>=6.3)
  @usableFromInline let sanitizerOrder = Atomic<UInt8>(0)
  #endif

  @inlinable
  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Runs a closure with exclusive access to the value; the closure must not call out.
  @inlinable
  package borrowing func withLock<Result, Problem: Error>(
    _ body: (inout sending Value) throws(Problem) -> sending Result
  ) throws(Problem) -> sending Result {
    #if os(Linux) && compiler(>=6.3)
    try mutex.withLock { (value: inout sending Value) throws(Problem) -> sending Result in
      _ = sanitizerOrder.load(ordering: .acquiring)
      defer { sanitizerOrder.store(0, ordering: .releasing) }
      return try body(&value)
    }
    #else
    // Earlier compilers do not pass an `inout sending` parameter on.
    try mutex.withLock(body)
    #endif
  }

  /// Runs a closure with exclusive access to the value, and frees its result after the lock is released; for values
  /// that leave the state: the end of their lifetime may run code of the app, which may need the same lock.
  @inlinable
  package borrowing func discardWithLock<Former>(_ body: (inout sending Value) -> sending Former) {
    let former = withLock(body)
    withExtendedLifetime(former) {}
  }
}

extension Guarded where Value: Sendable {
  /// Replaces the value, and frees the former one after the lock is released.
  @inlinable
  package borrowing func set(_ value: Value) {
    discardWithLock { current in
      defer { current = value }
      return current
    }
  }
}

/// A flag that is claimed at most once, by any thread.
package final class Once: Sendable {
  private let claimed = Atomic<Bool>(false)

  package init() {}

  package var isClaimed: Bool { claimed.load(ordering: .acquiring) }

  /// Claims the flag and returns whether this is the first claim.
  @discardableResult
  package func claim() -> Bool { !claimed.exchange(true, ordering: .acquiringAndReleasing) }
}
