import Synchronization

extension SignalScheduler where Self == MainImmediateScheduler {
  /// Runs work at once when it is scheduled on the main queue, otherwise asynchronously on it.
  ///
  /// Each use makes a scheduler of its own, so one `observe(on:)` does not wait for another.
  public static var mainImmediate: MainImmediateScheduler { MainImmediateScheduler() }
}

/// A serial scheduler on the main queue, which is where the main actor runs, without a turn of the queue where none is
/// needed.
///
/// - Work that is scheduled on the main queue, or on the main thread outside of any queue, runs before `schedule` returns.
///   Work from any other thread or queue runs asynchronously on the main queue.
/// - Work never overtakes work that was scheduled before it on the same scheduler: while some waits or runs, more of it is
///   appended to the main queue. So scheduling from inside running work does not recurse.
/// - With ``Signal/observe(on:)``, a value that is sent on the main queue is delivered before the send returns, unless
///   earlier values wait or one is being delivered.
///
/// The scheduler keeps work until it has run.
public final class MainImmediateScheduler: SignalScheduler {
  private let main: DispatchScheduler = .main
  /// Work that waits or runs.
  private let pendingCount = Atomic<Int>(0)

  /// Makes a scheduler with an order of its own.
  public init() {}

  /// The time since the machine started, without the time that an Apple device was asleep.
  public var now: Duration { main.now }

  /// Runs the work at once on the main queue, if nothing is before it; otherwise asynchronously.
  public func schedule(_ work: @escaping @Sendable () -> Void) {
    let isFirst = pendingCount.add(1, ordering: .acquiringAndReleasing).oldValue == 0
    if isFirst && DispatchScheduler.isOnMain { return run(work) }
    main.schedule { self.run(work) }
  }

  private func run(_ work: @Sendable () -> Void) {
    work()
    pendingCount.subtract(1, ordering: .acquiringAndReleasing)
  }

  /// Runs the work on the main queue once the time has passed, also if that is none.
  ///
  /// - Parameters:
  ///   - delay: how long to wait.
  ///   - work: what to run; it is not ordered with work that is scheduled without a delay.
  /// - Returns: the handle that cancels it.
  @discardableResult
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
    main.schedule(after: delay, work)
  }
}
