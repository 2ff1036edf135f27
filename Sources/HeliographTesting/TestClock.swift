import Dispatch
public import Signals

/// A virtual clock for tests of code on the main actor; advancing it also runs pending work there.
///
/// The clock works like a ``VirtualScheduler``, but its ``advance(by:)`` returns after the main queue has run. By then,
/// a view model that subscribes with `subscribeOnMain` or awaits in a task has received the events. ``TestClock`` is
/// also a `Clock` of the standard library, for code that sleeps:
///
/// ```swift
/// let clock = TestClock()
/// let poller = Poller(clock: clock)  // with an `any Clock<Duration>`
/// await clock.advance(by: .seconds(60))
/// ```
public struct TestClock: SignalScheduler, Clock {
  private final class Shared: Sendable {
    let scheduler = VirtualScheduler()
    /// The instant at which the virtual time was zero.
    let start = ContinuousClock.now
    /// The target time of all calls of `advance` together.
    let end = Guarded(Duration.zero)
    /// The number of requests and answers of stubs.
    let events = Guarded(0)
  }

  /// The turns without new work after which an advance ends, and the maximum number of turns.
  private static let quietCount = 16
  private static let turnLimit = 10_000

  /// The lowest priority whose tasks get turns.
  ///
  /// While all cores are busy, Apple's systems may run no task of the priority `background` for minutes, and a
  /// continuation does not raise the priority of the task that will resume it.
  #if canImport(Darwin)
  private static let lowestPriority = TaskPriority.utility
  #else
  private static let lowestPriority = TaskPriority.background
  #endif

  private let shared = Shared()
  private var scheduler: VirtualScheduler { shared.scheduler }

  /// Creates a clock at zero.
  public init() {}

  /// The virtual time.
  public var now: Duration { scheduler.now }

  /// The number of scheduled work items that have neither run nor been cancelled.
  public var pendingCount: Int { scheduler.pendingCount }

  /// Zero: a sleep ends exactly at its deadline.
  public var minimumResolution: Duration { .zero }

  /// Schedules work for the next advance of the clock.
  public func schedule(_ work: @escaping @Sendable () -> Void) { scheduler.schedule(work) }

  /// Schedules work for a later instant and returns a handle that cancels it; cancelled work is freed.
  @discardableResult
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
    scheduler.schedule(after: delay, work)
  }

  /// Waits until the clock has been advanced to an instant.
  ///
  /// - Parameters:
  ///   - deadline: The instant; if it has passed, the method returns immediately.
  ///   - tolerance: Ignored.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let instant = shared.start.duration(to: deadline)
    let reached = Signal<Void, Never> { [scheduler] observer in
      let handle = scheduler.schedule(at: instant) { observer.complete(with: ()) }
      if handle == nil { observer.complete() }
      return handle
    }
    _ = await reached.first()
    try Task.checkCancellation()
  }

  /// Advances the clock and runs all work that becomes due, in order, then the work pending on the main actor.
  ///
  /// When the call returns, a task on the main actor that awaits a signal, the clock, or `send` or `value(of:)` of a
  /// ``TestKit``'s client has run as far as it can, however many requests that takes. The clock waits until nothing new
  /// was scheduled, sent or answered for 16 turns of the main queue, of tasks of the caller's priority and of tasks of
  /// the priority `background`, on Apple's systems `utility`: there a task of the priority `background` may not run for
  /// minutes while all cores are busy, so the clock does not wait for it. Work off the main actor is not guaranteed to
  /// finish in these turns, because the clock cannot detect a task that has not reached the client yet. This applies to
  /// child tasks of `async let`, async token refreshes, calls, and all code built with a compiler before Swift 6.2. In
  /// such tests, await ``StubTransport/requested(_:within:)`` before advancing, and the expected effect afterwards.
  ///
  /// The clock waits so at each instant at which work is due. These tasks wait behind all other work of the process: an
  /// instant takes a few milliseconds in an idle process, and up to seconds while other tests occupy all cores. So an
  /// advance over thousands of instants, such as a minute of a timer that runs each frame, may take minutes; a
  /// ``VirtualScheduler`` waits for nothing. At one instant the clock waits for at most 10,000 turns, and work that
  /// schedules itself again without a delay never lets the call return. On all systems, an advance disposes
  /// subscriptions bound to objects that were deallocated before. The durations of concurrent calls add up, but off the
  /// main actor they may run work at once and out of order: advance in one task if work depends on other work.
  /// - Parameter duration: The time to advance by. Default: zero, which runs the work due now.
  public func advance(by duration: Duration = .zero) async {
    let end = shared.end.withLock { end in
      end += max(.zero, duration)
      return end
    }
    await runUntilIdle()
    while let instant = scheduler.nextInstant, instant <= end {
      scheduler.advance(to: instant)
      await runUntilIdle()
    }
    scheduler.advance(to: end)
    await runUntilIdle()
  }

  fileprivate var start: ContinuousClock.Instant { shared.start }

  /// Counts a request or an answer, after which the clock gives further turns.
  func recordEvent() { shared.events.withLock { $0 += 1 } }

  /// Yields to tasks and the main queue until they are idle.
  private func runUntilIdle() async {
    var quietCount = 0
    for _ in 0..<Self.turnLimit where quietCount < Self.quietCount {
      let previousCount = eventCount
      await OwnedHandles.disposeOrphans()
      // Ready tasks of the same priority run first, then those of a lower one.
      await yield(to: Task.currentPriority)
      await yield(to: Self.lowestPriority)
      await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
      quietCount = eventCount == previousCount ? quietCount + 1 : 0
    }
  }

  private var eventCount: Int { shared.events.withLock { $0 } + scheduler.scheduledCount }

  /// Waits for a new task of a priority; awaiting its value instead would raise its priority.
  private func yield(to priority: TaskPriority) async {
    await withCheckedContinuation { continuation in
      Task.detached(priority: priority) {
        await Task.yield()
        continuation.resume()
      }
    }
  }
}

extension Clock where Self == TestClock {
  /// The current instant, for code that uses only a `Clock`.
  public var now: ContinuousClock.Instant { self.start.advanced(by: (self as any SignalScheduler).now) }
}
