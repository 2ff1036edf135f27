public import Synchronization

/// The transfer of a downstream to the successor of a terminated signal.
///
/// If a signal terminates before its starter has returned from starting it, the starter gets the successor as a tail
/// call and runs it in its loop. Otherwise the thread that delivered the end runs the successor immediately. In neither
/// case does the stack grow.
@usableFromInline
struct TailCall: ~Copyable, Sendable {
  @inlinable static var starting: UInt8 { 0 }
  @inlinable static var waiting: UInt8 { 1 }
  @inlinable static var started: UInt8 { 2 }

  @usableFromInline let phase = Atomic<UInt8>(0)

  @inlinable init() {}

  @inlinable var isStarted: Bool { phase.load(ordering: .acquiring) == TailCall.started }

  /// Claims the successor for the starter; returns `false` if the caller must run it now.
  ///
  /// Called when the signal has terminated.
  @inlinable
  func leaveToStarter() -> Bool {
    phase.compareExchange(
      expected: TailCall.starting, desired: TailCall.waiting, ordering: .acquiringAndReleasing
    ).exchanged
  }

  /// Runs `prepare` and then `leaveToStarter`; returns `false` without preparing if the starter has already returned.
  ///
  /// `prepare` stores what the starter needs.
  @inlinable
  func leave(_ prepare: () -> Void) -> Bool {
    if isStarted { return false }
    prepare()
    return leaveToStarter()
  }

  /// Claims the tail call and returns whether the starter must run a successor; called when starting has returned.
  ///
  /// `restarts` begins the next round, for a starter that runs several signals in a row.
  @inlinable
  func claimTail(restarts: Bool = false) -> Bool {
    let (isStillRunning, _) = phase.compareExchange(
      expected: TailCall.starting, desired: TailCall.started, ordering: .acquiringAndReleasing)
    if !isStillRunning, restarts { phase.store(TailCall.starting, ordering: .releasing) }
    return !isStillRunning
  }

  /// Begins the next round; called by the thread that must run the successor itself.
  @inlinable
  func restart() { phase.store(TailCall.starting, ordering: .releasing) }
}
