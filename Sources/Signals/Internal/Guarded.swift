public import Synchronization

/// A value behind a `Mutex`, whose hand-over ThreadSanitizer can see.
///
/// On Linux a contended `Mutex` is handed from one thread to the next by the kernel (`FUTEX_LOCK_PI`), without an
/// atomic operation of the new owner's that the sanitizer knows; it would report a race for each. So there each owner
/// acquires what the one before released, in one word more: two plain moves on x86-64.
@usableFromInline
package struct Guarded<Value>: ~Copyable, Sendable {
  @usableFromInline let mutex: Mutex<Value>
  #if os(Linux)
  @usableFromInline let handover = Atomic<UInt8>(0)
  #endif

  /// Guards a value.
  @inlinable
  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Gives exclusive access to the value while a closure runs, which must not call out.
  @inlinable
  package borrowing func withLock<Result, Problem: Error>(
    _ body: (inout sending Value) throws(Problem) -> sending Result
  ) throws(Problem) -> sending Result {
    try mutex.withLock { (value: inout sending Value) throws(Problem) -> sending Result in
      #if os(Linux)
      _ = handover.load(ordering: .acquiring)
      defer { handover.store(0, ordering: .releasing) }
      #endif
      return try body(&value)
    }
  }
}
