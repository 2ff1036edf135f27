public import Signals

/// A scheduler with a virtual time that a test advances.
///
/// ```swift
/// let clock = VirtualScheduler()
/// let recorder = SignalRecorder(Signal<Int, Never>.just(1).delay(.seconds(60), on: clock))
/// clock.advance(by: .seconds(60))
/// print(recorder.values)  // [1]
/// ```
/// Due work runs on the thread that advances the time, ordered by instant; work due at the same instant runs in the
/// order of scheduling. Nothing runs inside `schedule`. Advance the time on one thread at a time: concurrent calls may run
/// work at once and out of order.
public final class VirtualScheduler: SignalScheduler {
  private struct State {
    var now: Duration = .zero
    var work = TimerQueue<Duration, @Sendable () -> Void>()
  }

  private let state = Guarded(State())

  /// Creates a scheduler at time zero.
  public init() {}

  /// The virtual time.
  public var now: Duration { state.withLock { $0.now } }

  /// The number of scheduled work items that have neither run nor been cancelled.
  public var pendingCount: Int { state.withLock { $0.work.count } }

  /// The instant of the next scheduled work; `nil` if there is none.
  package var nextInstant: Duration? { state.withLock { $0.work.earliest } }

  /// The number of work items scheduled so far.
  var scheduledCount: Int { state.withLock { Int(clamping: $0.work.addedCount) } }

  /// Schedules work for the next advance, even one by zero.
  public func schedule(_ work: @escaping @Sendable () -> Void) { add(.zero, work) }

  /// Schedules work for a later instant and returns a handle that cancels it; cancelled work is freed.
  @discardableResult
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
    cancellation(of: add(delay, work))
  }

  /// Schedules work for an instant, which is freed when it is cancelled; returns `nil` if the time has reached it.
  package func schedule(at instant: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable? {
    let key = state.withLock { state in instant > state.now ? state.work.add(work, at: instant) : nil }
    return key.map(cancellation)
  }

  @discardableResult
  private func add(
    _ delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> TimerQueue<Duration, @Sendable () -> Void>.Key {
    state.withLock { $0.work.add(work, at: $0.now + max(.zero, delay)) }
  }

  private func cancellation(of key: TimerQueue<Duration, @Sendable () -> Void>.Key) -> Disposable {
    Disposable { [weak self] in self?.state.discardWithLock { $0.work.remove(key) } }
  }

  /// Advances the time and runs all work that becomes due, including work that other work schedules.
  ///
  /// Work that schedules itself again without a delay never lets the call return; ``run(limit:)`` has a limit.
  ///
  /// - Parameter duration: The time to advance by; zero runs the work due now.
  public func advance(by duration: Duration = .zero) {
    advance(to: now + max(.zero, duration))
  }

  /// Advances the time to an instant, and runs all work that becomes due.
  func advance(to end: Duration) {
    while let work = takeNext(until: end) { work() }
  }

  /// Advances the time from one work item to the next, until nothing is scheduled.
  ///
  /// - Parameter limit: The maximum number of work items to run, in case each schedules more. Default: 10,000.
  /// - Returns: Whether nothing is scheduled; `false` after the limit.
  @discardableResult
  public func run(limit: Int = 10_000) -> Bool {
    var count = 0
    while count < limit, let work = takeNext(until: nil) {
      work()
      count += 1
    }
    return pendingCount == 0
  }

  /// Advances the time to the next work and returns it; without work until the end, advances to the end.
  private func takeNext(until end: Duration?) -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard let next = state.work.earliest, end.map({ next <= $0 }) ?? true else {
        // In the same step, so that work that another thread schedules until the end is not left behind.
        if let end { state.now = max(state.now, end) }
        return nil
      }
      state.now = max(state.now, next)
      return state.work.takeDue(at: next)
    }
  }
}
