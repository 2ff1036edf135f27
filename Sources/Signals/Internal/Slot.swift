import Synchronization

/// Holds one disposable in one atomic word: empty, a handle, or closed. Putting into a closed slot disposes at once.
@usableFromInline
struct Slot: ~Copyable, Sendable {
  private static var closed: UInt { 1 }
  private let word = Atomic<UInt>(0)

  @usableFromInline init() {}

  deinit {
    Slot.handle(word.load(ordering: .acquiring))?.release()
  }

  private static func handle(_ bits: UInt) -> Unmanaged<Disposable>? {
    guard bits != closed, let pointer = UnsafeRawPointer(bitPattern: bits) else { return nil }
    return Unmanaged.fromOpaque(pointer)
  }

  /// Keeps a handle and disposes the one before it; a closed slot disposes the new one at once.
  @usableFromInline
  func put(_ disposable: Disposable) {
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
    new.release()
    disposable.dispose()
  }

  /// Disposes what is held, and from now on all that is put.
  @usableFromInline
  func close() {
    Slot.handle(word.exchange(Slot.closed, ordering: .acquiringAndReleasing))?.takeRetainedValue().dispose()
  }
}
