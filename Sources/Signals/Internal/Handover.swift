public import Synchronization

/// Hands a place on to the next signal when the one before it has ended.
///
/// If that happens before the starter has returned from starting it, the starter gets the next signal back as a tail
/// and runs it in its loop; later, it is run at once from the ending. Either way no stack is built up.
@usableFromInline
struct Handover: ~Copyable, Sendable {
  @usableFromInline
  enum Phase {
    @inlinable static var starting: UInt8 { 0 }
    @inlinable static var waiting: UInt8 { 1 }
    @inlinable static var started: UInt8 { 2 }
  }

  @usableFromInline let phase = Atomic<UInt8>(Phase.starting)

  @inlinable init() {}

  @inlinable var isStarted: Bool { phase.load(ordering: .acquiring) == Phase.started }

  /// Called at the ending: `true` leaves the next signal to the starter, `false` means run it now.
  @inlinable
  func leaveToStarter() -> Bool {
    phase.compareExchange(expected: Phase.starting, desired: Phase.waiting, ordering: .acquiringAndReleasing).exchanged
  }

  /// Called when starting has returned: `true` if a next signal waits to be run by the starter.
  @inlinable
  func hasTail() -> Bool {
    !phase.compareExchange(expected: Phase.starting, desired: Phase.started, ordering: .acquiringAndReleasing).exchanged
  }
}

/// A stage that may put another signal in the place of the one that ended: `catch`, `retry`, `then`, `ifEmpty`.
@usableFromInline
final class Successor<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let place: Continuation<Value, Failure>
  @usableFromInline let handover = Handover()
  // Written before the hand-over and read after it.
  @usableFromInline nonisolated(unsafe) var tail: Signal<Value, Failure>?

  @usableFromInline
  init(_ place: Continuation<Value, Failure>) {
    self.place = place
  }

  /// Continues with another signal, at the ending of the one before.
  @usableFromInline
  func follow(with signal: Signal<Value, Failure>) {
    tail = signal
    if handover.leaveToStarter() { return }
    tail = nil
    signal.run(in: place)
  }

  /// What the starter returns once the first signal has been started.
  @usableFromInline
  func started() -> Signal<Value, Failure>? {
    guard handover.hasTail() else { return nil }
    defer { tail = nil }
    return tail
  }
}
