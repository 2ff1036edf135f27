import Dispatch
public import Signals

/// A virtual clock for tests of code on the main actor; advancing it also runs pending work there.
///
/// It is a ``VirtualScheduler`` whose ``advance(by:)`` returns after the main queue has run. A view model that subscribes
/// with `subscribeOnMain`, or awaits in a task, has received the events by then.
public struct TestClock: SignalScheduler {
  private let scheduler = VirtualScheduler()

  /// Creates a clock at zero.
  public init() {}

  /// The virtual time.
  public var now: Duration { scheduler.now }

  /// The number of scheduled work items that have neither run nor been cancelled.
  public var pendingCount: Int { scheduler.pendingCount }

  /// Schedules work for the next advance of the clock.
  public func schedule(_ work: @escaping @Sendable () -> Void) { scheduler.schedule(work) }

  /// Schedules work for a later instant.
  ///
  /// - Parameters:
  ///   - delay: The delay from now.
  ///   - work: The work; it is deallocated when it is cancelled.
  /// - Returns: The handle that cancels it.
  @discardableResult
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
    scheduler.schedule(after: delay, work)
  }

  /// Advances the clock and runs all work that becomes due, in order, then the work pending on the main actor.
  ///
  /// A task on the main actor that awaits `send` or `value(of:)` of a ``TestKit``'s client, or a signal, has run as far as
  /// it can, unless its loop is very long. What leaves the main actor gets several turns, which is no guarantee: child
  /// tasks (`async let`), async refreshes, calls, and everything built with a compiler before Swift 6.2. Await
  /// ``StubTransport/requested(_:within:)`` before the advance, and after it what the work does. Subscriptions bound to
  /// objects that were deallocated before are disposed, on all systems.
  /// - Parameter duration: The time to advance by. Default: zero, which runs the work due now.
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
    for _ in 0..<16 {
      OwnedHandles.disposeOrphans()
      // First after the ready tasks of the same priority, then after those of a lower one.
      await turn(of: Task.currentPriority)
      await turn(of: .background)
      await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    }
  }

  /// Waits for a new task of a priority; awaiting its value instead would raise its priority.
  private func turn(of priority: TaskPriority) async {
    await withCheckedContinuation { continuation in
      Task.detached(priority: priority) {
        await Task.yield()
        continuation.resume()
      }
    }
  }
}
