public import Synchronization

/// Holds one disposable in one atomic word: empty, a handle, or closed.
///
/// Putting into a closed slot disposes at once.
@usableFromInline
struct Slot: ~Copyable, Sendable {
  @inlinable static var closed: UInt { 1 }
  @usableFromInline let word = Atomic<UInt>(0)

  @inlinable init() {}

  @inlinable
  deinit {
    Slot.handle(word.load(ordering: .acquiring))?.release()
  }

  @inlinable
  static func handle(_ bits: UInt) -> Unmanaged<Disposable>? {
    guard bits != closed, let pointer = UnsafeRawPointer(bitPattern: bits) else { return nil }
    return Unmanaged.fromOpaque(pointer)
  }

  /// Keeps a handle and disposes the one before it; a closed slot disposes the new one at once.
  @inlinable
  func put(_ disposable: consuming Disposable) {
    let new = Unmanaged.passRetained(disposable)
    let bits = UInt(bitPattern: new.toOpaque())
    var seen = word.load(ordering: .acquiring)
    while seen != Slot.closed {
      let (exchanged, now) = word.weakCompareExchange(
        expected: seen, desired: bits, ordering: .acquiringAndReleasing)
      if exchanged {
        Slot.handle(seen)?.takeRetainedValue().dispose()
        return
      }
      seen = now
    }
    new.takeRetainedValue().dispose()
  }

  /// Disposes what is held, and from now on all that is put.
  @inlinable
  func close() {
    Slot.handle(word.exchange(Slot.closed, ordering: .acquiringAndReleasing))?.takeRetainedValue().dispose()
  }
}
