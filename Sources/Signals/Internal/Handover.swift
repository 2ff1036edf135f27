public import Synchronization

/// Hands a downstream on to the next signal when the one before it has ended.
///
/// If that happens before the starter has returned from starting it, the starter gets the next signal back as a tail
/// and runs it in its loop; later, it is run at once by the thread that delivered the end. Either way no stack is used up.
@usableFromInline
struct Handover: ~Copyable, Sendable {
  @inlinable static var starting: UInt8 { 0 }
  @inlinable static var waiting: UInt8 { 1 }
  @inlinable static var started: UInt8 { 2 }

  @usableFromInline let phase = Atomic<UInt8>(0)

  @inlinable init() {}

  @inlinable var isStarted: Bool { phase.load(ordering: .acquiring) == Handover.started }

  /// Called at the end: `true` leaves the next signal to the starter, `false` means that it is to be run now.
  @inlinable
  func leaveToStarter() -> Bool {
    phase.compareExchange(
      expected: Handover.starting, desired: Handover.waiting, ordering: .acquiringAndReleasing
    ).exchanged
  }

  /// As `leaveToStarter`, after what the starter needs has been put down; not done if it has returned already.
  @inlinable
  func leave(_ prepare: () -> Void) -> Bool {
    if isStarted { return false }
    prepare()
    return leaveToStarter()
  }

  /// Called when starting has returned: `true` if a next signal waits to be run by the starter.
  ///
  /// `restarts` begins the next round, for a starter that runs one signal after another.
  @inlinable
  func hasTail(restarts: Bool = false) -> Bool {
    let (left, _) = phase.compareExchange(
      expected: Handover.starting, desired: Handover.started, ordering: .acquiringAndReleasing)
    if !left, restarts { phase.store(Handover.starting, ordering: .releasing) }
    return !left
  }

  /// Begins the next round, by the thread that has been told to run the next signal.
  @inlinable
  func restart() { phase.store(Handover.starting, ordering: .releasing) }
}
