import Synchronization

#if compiler(>=6.2)
public import Dispatch
#else
// Its keys are not yet Sendable on Linux.
@preconcurrency public import Dispatch
#endif

/// An executor of work with a clock: determines where and when work runs.
///
/// The protocol has only three requirements, so that it is easy to implement. `VirtualScheduler` in HeliographTesting
/// implements it with a clock that tests advance manually.
public protocol SignalScheduler: Sendable {
  /// The time since an origin that the scheduler chooses; it never decreases.
  var now: Duration { get }

  /// Runs work as soon as possible. A serial scheduler keeps the order of the calls.
  func schedule(_ work: @escaping @Sendable () -> Void)

  /// Runs work once after a delay.
  ///
  /// - Parameters:
  ///   - delay: The time to wait. Zero or less means as soon as possible.
  ///   - work: The work to run, unless the handle is disposed first. It is freed at disposal.
  /// - Returns: A handle that cancels the work. Discarding it does not cancel the work.
  @discardableResult
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable
}

extension SignalScheduler where Self == DispatchScheduler {
  /// A scheduler that runs work synchronously on the calling thread; delayed work runs on the system's concurrent
  /// queue.
  public static var immediate: DispatchScheduler { DispatchScheduler(.global(), .caller) }

  /// A scheduler that runs work asynchronously on the main queue, the executor of the main actor.
  public static var main: DispatchScheduler { DispatchScheduler(.main) }

  /// A scheduler that runs work asynchronously on the system's concurrent queue.
  public static var global: DispatchScheduler {
    var scheduler = DispatchScheduler(.global())
    scheduler.isSystemQueue = true
    return scheduler
  }

  /// Creates a serial scheduler with its own dispatch queue, whose label debuggers show.
  public static func serial(_ label: String) -> DispatchScheduler {
    DispatchScheduler(DispatchQueue(label: label))
  }

  /// A scheduler of the main queue that runs work synchronously if called on that queue, and asynchronously otherwise.
  ///
  /// - Work that is scheduled on the main queue, or on the main thread outside of any queue, runs before `schedule`
  ///   returns. Work from any other thread or queue runs asynchronously on the main queue.
  /// - Work never overtakes earlier work of the same scheduler: while earlier work is pending or running, new work is
  ///   appended to the main queue. Scheduling from inside running work therefore does not recurse.
  /// - With `observe(on:)`, a value that is sent on the main queue is delivered before the send returns, unless
  ///   earlier values are queued or being delivered.
  ///
  /// Delayed work always runs asynchronously, in no defined order relative to other work. Each access creates a new
  /// scheduler, so one `observe(on:)` does not wait for another.
  public static var mainImmediate: DispatchScheduler { DispatchScheduler(.main, .main(MainOrder())) }
}

/// A scheduler that runs work on a dispatch queue, or immediately on the calling thread.
public struct DispatchScheduler: SignalScheduler {
  /// The work that runs before `schedule` returns.
  fileprivate enum Synchronous {
    case none, caller
    case main(MainOrder)
  }

  private let queue: DispatchQueue
  private let synchronous: Synchronous
  /// Whether the queue is the system's, which guarantees no order of the work.
  package fileprivate(set) var isSystemQueue = false

  /// Creates a scheduler that runs work on a serial or concurrent queue.
  public init(_ queue: DispatchQueue) {
    self.init(queue, .none)
  }

  fileprivate init(_ queue: DispatchQueue, _ synchronous: Synchronous) {
    self.queue = queue
    self.synchronous = synchronous
  }

  /// Whether all work without a delay runs on the calling thread.
  package var isImmediate: Bool { if case .caller = synchronous { true } else { false } }

  /// Whether no work runs before `schedule` returns.
  @usableFromInline var isAsynchronous: Bool { if case .none = synchronous { true } else { false } }

  // Set on the main queue at first use.
  private static let mainKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller runs on the main queue, or on the main thread outside of any other queue.
  static var isOnMain: Bool { DispatchQueue.getSpecific(key: mainKey) ?? false }

  /// The time of Dispatch's clock; the clock stops while an Apple device sleeps, which extends delays, timeouts and
  /// retries.
  static var uptime: Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

  private static let continuousOrigin = ContinuousClock.now

  /// The time since the first use of this property, including sleep.
  fileprivate static var continuousTime: Duration { continuousOrigin.duration(to: .now) }

  /// The time since the machine started; on Apple devices it does not advance during sleep.
  public var now: Duration { DispatchScheduler.uptime }

  /// Runs work asynchronously on the queue; ``SignalScheduler/immediate`` and ``SignalScheduler/mainImmediate`` may run
  /// it synchronously.
  public func schedule(_ work: @escaping @Sendable () -> Void) {
    switch synchronous {
    case .none: queue.async(execute: work)
    case .caller: work()
    case .main(let order): order.schedule(work, on: queue)
    }
  }

  /// Runs work on the queue after a delay, with a leeway of 1 % of the delay to save power.
  ///
  /// Delays share one timer: scheduling and cancelling work takes O(log n) with n delays pending.
  ///
  /// - Parameters:
  ///   - delay: The time to wait.
  ///   - work: The work to run. It is freed when it has run or is cancelled, not when the delay has passed.
  /// - Returns: A handle that cancels the work.
  @discardableResult
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
    // Not `asyncAfter`, which would retain a cancelled item until its deadline.
    let delayed = DelayedWork(on: queue, work)
    delayed.start(after: delay)
    return Disposable(source: delayed)
  }
}

extension SignalScheduler {
  /// The time on a clock that also advances while the device sleeps; that of a scheduler of the app's own is its `now`.
  package var continuousNow: Duration { self is DispatchScheduler ? DispatchScheduler.continuousTime : now }
}

/// The order of the work of one ``SignalScheduler/mainImmediate`` scheduler; it retains work until it has run.
private final class MainOrder: Sendable {
  /// The number of pending and running work items.
  private let pendingCount = Atomic<Int>(0)

  /// Runs work synchronously on the main queue if no earlier work is pending, otherwise asynchronously.
  func schedule(_ work: @escaping @Sendable () -> Void, on main: DispatchQueue) {
    let isFirst = pendingCount.add(1, ordering: .acquiringAndReleasing).oldValue == 0
    if isFirst && DispatchScheduler.isOnMain { return run(work) }
    main.async { self.run(work) }
  }

  private func run(_ work: @Sendable () -> Void) {
    work()
    pendingCount.subtract(1, ordering: .acquiringAndReleasing)
  }
}

extension Duration {
  var dispatchInterval: DispatchTimeInterval { dispatchInterval(upTo: Int64(Int.max)) }

  /// Returns the duration in the finest unit that fits into `Int`.
  ///
  /// On watches `Int` has 32 bits, which hold only two seconds in nanoseconds. Milliseconds and seconds are rounded up,
  /// so that no timer fires early; fractions of a nanosecond are dropped. Durations beyond the limit in seconds become
  /// `.never`.
  package func dispatchInterval(upTo limit: Int64) -> DispatchTimeInterval {
    let (seconds, attoseconds) = components
    if seconds < 0 || attoseconds < 0 { return .nanoseconds(0) }
    if seconds < limit / 1_000_000_000 {
      return .nanoseconds(Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
    }
    if seconds < limit / 1_000 {
      return .milliseconds(Int(seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }
    return seconds < limit ? .seconds(Int(seconds) + (attoseconds > 0 ? 1 : 0)) : .never
  }

  /// The whole duration in attoseconds; the standard library's `attoseconds` requires Swift 6.2 (SE-0457).
  package var wholeAttoseconds: Int128 { Int128(_high) << 64 | Int128(_low) }

  package init(wholeAttoseconds: Int128) {
    self.init(
      _high: Int64(truncatingIfNeeded: wholeAttoseconds >> 64), low: UInt64(truncatingIfNeeded: wholeAttoseconds))
  }
}
