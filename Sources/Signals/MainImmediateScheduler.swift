import Synchronization

extension SignalScheduler where Self == MainImmediateScheduler {
  /// A scheduler that runs work synchronously on the main queue, and asynchronously from any other thread.
  ///
  /// Each access creates a new scheduler, so one `observe(on:)` does not wait for another.
  public static var mainImmediate: MainImmediateScheduler { MainImmediateScheduler() }
}

/// A serial main-queue scheduler that runs work synchronously when it is already on the main queue.
///
/// The main queue is the executor of the main actor.
///
/// - Work that is scheduled on the main queue, or on the main thread outside of any queue, runs before `schedule`
///   returns. Work from any other thread or queue runs asynchronously on the main queue.
/// - Work never overtakes earlier work of the same scheduler: while earlier work is pending or running, new work is
///   appended to the main queue. Scheduling from inside running work therefore does not recurse.
/// - With `observe(on:)`, a value that is sent on the main queue is delivered before the send returns, unless
///   earlier values are queued or being delivered.
///
/// The scheduler retains work until it has run.
public final class MainImmediateScheduler: SignalScheduler {
  private let main: DispatchScheduler = .main
  /// The number of pending and running work items.
  private let pendingCount = Atomic<Int>(0)

  /// Creates a scheduler with its own serial order.
  public init() {}

  /// The time since the machine started; on Apple devices it does not advance during sleep.
  public var now: Duration { main.now }

  /// Runs work synchronously on the main queue if no earlier work is pending, otherwise asynchronously.
  public func schedule(_ work: @escaping @Sendable () -> Void) {
    let isFirst = pendingCount.add(1, ordering: .acquiringAndReleasing).oldValue == 0
    if isFirst && DispatchScheduler.isOnMain { return run(work) }
    main.schedule { self.run(work) }
  }

  private func run(_ work: @Sendable () -> Void) {
    work()
    pendingCount.subtract(1, ordering: .acquiringAndReleasing)
  }

  /// Runs work on the main queue after a delay, always asynchronously.
  ///
  /// - Parameters:
  ///   - delay: the time to wait. Zero is asynchronous too.
  ///   - work: the work to run. It is not ordered with work that is scheduled without a delay.
  /// - Returns: a handle that cancels the work.
  @discardableResult
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
    main.schedule(after: delay, work)
  }
}
