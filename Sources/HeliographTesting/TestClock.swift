import Dispatch
public import Signals

/// A virtual clock for tests of code on the main actor: moving it also runs the work that is waiting there.
///
/// It is a ``VirtualScheduler`` whose ``advance(by:)`` returns after the main queue has run, so that a view model that subscribes
/// with `subscribeOnMain`, or awaits in a task, has seen the events.
public struct TestClock: SignalScheduler {
  private let scheduler = VirtualScheduler()

  /// Creates a clock that stands at zero.
  public init() {}

  /// The virtual time.
  public var now: Duration { scheduler.now }

  /// The number of scheduled pieces of work that have neither run nor been cancelled.
  public var pendingCount: Int { scheduler.pendingCount }

  /// Schedules work for the next move of the clock.
  public func schedule(_ work: @escaping @Sendable () -> Void) { scheduler.schedule(work) }

  /// Schedules work for a later instant.
  ///
  /// - Parameters:
  ///   - delay: The delay from now.
  ///   - work: The work; it is freed when it is cancelled.
  /// - Returns: The handle that cancels it.
  @discardableResult
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
    scheduler.schedule(after: delay, work)
  }

  /// Moves the clock forward and runs all work that becomes due, in order; then runs what waits on the main actor.
  ///
  /// Tasks that are resumed on the way run, too, as far as they only wait for this clock, for the main actor or for each other:
  /// they get several turns, not a promise.
  /// - Parameter duration: The time to move by. Default: zero, which runs the work that is due now.
  public func advance(by duration: Duration = .zero) async {
    await settle()
    let end = scheduler.now + max(.zero, duration)
    while let instant = scheduler.nextInstant, instant <= end {
      scheduler.advance(by: instant - scheduler.now)
      await settle()
    }
    scheduler.advance(by: end - scheduler.now)
    await settle()
  }

  /// Gives tasks and the main queue several turns.
  private func settle() async {
    for _ in 0..<8 {
      await Task.yield()
      await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    }
  }
}
