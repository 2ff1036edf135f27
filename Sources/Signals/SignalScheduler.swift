public import Dispatch

/// Where and when work runs.
///
/// Three requirements, so that you can write one; `VirtualScheduler` in HeliographTesting is one whose time you move
/// by hand.
public protocol SignalScheduler: Sendable {
  /// The time that has passed since an origin of the scheduler's choice; it never goes back.
  var now: Duration { get }

  /// Runs work as soon as possible. A serial scheduler keeps the order of the calls.
  func schedule(_ work: @escaping @Sendable () -> Void)

  /// Runs work once some time has passed.
  ///
  /// - Parameters:
  ///   - delay: how long to wait; zero or less means as soon as possible.
  ///   - work: runs once, unless it is disposed before; it is freed at disposal.
  /// - Returns: the handle that cancels it. Discarding it does not.
  @discardableResult
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable
}

extension SignalScheduler where Self == ImmediateSignalScheduler {
  /// Runs work at once, on the thread that schedules it.
  public static var immediate: ImmediateSignalScheduler { ImmediateSignalScheduler() }
}

extension SignalScheduler where Self == DispatchScheduler {
  /// Runs work on the main queue, which is where the main actor runs.
  public static var main: DispatchScheduler { DispatchScheduler(.main) }

  /// Runs work on the system's concurrent queue.
  public static var global: DispatchScheduler { DispatchScheduler(.global()) }

  /// Runs work one after another on a queue of its own.
  ///
  /// - Parameter label: names the queue in debuggers.
  /// - Returns: the scheduler.
  public static func serial(_ label: String) -> DispatchScheduler {
    DispatchScheduler(DispatchQueue(label: label))
  }
}

/// Runs work at once, on the thread that schedules it; what is delayed runs on the system's concurrent queue.
public struct ImmediateSignalScheduler: SignalScheduler {
  /// The time since the machine started, without the time that an Apple device was asleep.
  public var now: Duration { DispatchScheduler.uptime }

  /// Runs the work before it returns.
  public func schedule(_ work: @escaping @Sendable () -> Void) { work() }

  /// Runs the work on the system's concurrent queue once the time has passed.
  ///
  /// - Parameters:
  ///   - delay: how long to wait.
  ///   - work: what to run.
  /// - Returns: the handle that cancels it.
  @discardableResult
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
    DispatchScheduler(.global()).schedule(after: delay, work)
  }
}

/// Runs work on a dispatch queue.
public struct DispatchScheduler: SignalScheduler {
  private let queue: DispatchQueue

  /// Makes a scheduler for a queue of yours, serial or concurrent.
  ///
  /// - Parameter queue: where the work runs.
  public init(_ queue: DispatchQueue) {
    self.queue = queue
  }

  // Set on the main queue at its first use.
  private static let mainKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller runs on the main queue, or on the main thread outside of any other queue.
  static var isOnMain: Bool { DispatchQueue.getSpecific(key: mainKey) ?? false }

  /// Dispatch's clock, which stands still while an Apple device sleeps: delays, timeouts and retries wait that much longer.
  static var uptime: Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

  /// The time since the machine started, without the time that an Apple device was asleep.
  public var now: Duration { DispatchScheduler.uptime }

  /// Runs the work on the queue.
  public func schedule(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

  /// Runs the work on the queue once the time has passed, or up to a hundredth of it later, which saves power.
  ///
  /// - Parameters:
  ///   - delay: how long to wait.
  ///   - work: what to run; when it is cancelled, it is freed as soon as the queue gets to it, not when the time has
  ///     passed.
  /// - Returns: the handle that cancels it.
  @discardableResult
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
    // A timer source, not asyncAfter: that would hold a cancelled item until its deadline, and most time-outs are
    // cancelled long before.
    // Dispatch's objects may be used from any thread; their protocol does not say so on every platform.
    let timer = Cell(DispatchSource.makeTimerSource(queue: queue))
    let handle = Disposable { timer.value.cancel() }
    timer.value.setEventHandler {
      // Whoever claims the handle decides: after a disposal the work does not run.
      guard handle.claim() else { return }
      handle.release()
      work()
    }
    timer.value.schedule(deadline: .now() + delay.dispatchInterval, leeway: (delay / 100).dispatchInterval)
    timer.value.activate()
    return handle
  }
}

extension Duration {
  /// The delay as Dispatch counts it.
  var dispatchInterval: DispatchTimeInterval { dispatchInterval(upTo: Int64(Int.max)) }

  /// The delay in the finest unit whose number fits into a word: a watch's has 32 bits, two seconds of nanoseconds.
  ///
  /// What is not counted exactly is rounded up, so that no timer fires early. Beyond the longest word there is no end.
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
}
