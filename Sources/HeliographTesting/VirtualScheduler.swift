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
/// order of scheduling. Nothing runs inside `schedule`.
public final class VirtualScheduler: SignalScheduler {
  /// The position of work: by its instant, then by the order of scheduling.
  private struct Entry: Comparable {
    let instant: Duration
    let order: Int

    static func < (left: Entry, right: Entry) -> Bool { (left.instant, left.order) < (right.instant, right.order) }
  }

  private struct State {
    var now: Duration = .zero
    var nextOrder = 0
    var work: [Int: @Sendable () -> Void] = [:]
    /// The entries of all work, and of some that was cancelled.
    var entries = MinHeap<Entry>()

    mutating func add(_ work: @escaping @Sendable () -> Void, at instant: Duration) -> Int {
      nextOrder += 1
      entries.add(Entry(instant: instant, order: nextOrder))
      self.work[nextOrder] = work
      return nextOrder
    }

    mutating func remove(_ order: Int) -> (@Sendable () -> Void)? {
      let cancelled = work.removeValue(forKey: order)
      // A timer that is repeatedly set and cancelled must not fill the heap.
      if entries.count > 2 * work.count + 64 { entries.removeAll { work[$0.order] == nil } }
      return cancelled
    }

    /// The earliest entry; removes cancelled ones before it.
    mutating func earliest() -> Entry? {
      while let first = entries.first, work[first.order] == nil { entries.takeFirst() }
      return entries.first
    }
  }

  private let state = Guarded(State())

  /// Creates a scheduler at time zero.
  public init() {}

  /// The virtual time.
  public var now: Duration { state.withLock { $0.now } }

  /// The number of scheduled work items that have neither run nor been cancelled.
  public var pendingCount: Int { state.withLock { $0.work.count } }

  /// The instant of the next scheduled work; `nil` if there is none.
  package var nextInstant: Duration? { state.withLock { $0.earliest()?.instant } }

  /// The number of work items scheduled so far.
  var scheduledCount: Int { state.withLock { $0.nextOrder } }

  /// Schedules work for the next advance, even one by zero.
  public func schedule(_ work: @escaping @Sendable () -> Void) { add(.zero, work) }

  /// Schedules work for a later instant.
  ///
  /// - Parameters:
  ///   - delay: The delay from now.
  ///   - work: The work to run; it is freed when it is cancelled.
  /// - Returns: A handle that cancels the work.
  @discardableResult
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
    cancellation(of: add(delay, work))
  }

  /// Schedules work for an instant; returns `nil` if the time has reached it.
  ///
  /// - Parameters:
  ///   - instant: The instant.
  ///   - work: The work to run; it is freed when it is cancelled.
  /// - Returns: A handle that cancels the work.
  package func schedule(at instant: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable? {
    let order: Int? = state.withLock { state in instant > state.now ? state.add(work, at: instant) : nil }
    return order.map(cancellation)
  }

  @discardableResult
  private func add(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      let instant = state.now + max(.zero, delay)
      return state.add(work, at: instant)
    }
  }

  private func cancellation(of order: Int) -> Disposable {
    Disposable { [weak self] in
      let cancelled = self?.state.withLock { $0.remove(order) }
      withExtendedLifetime(cancelled) {}
    }
  }

  /// Advances the time and runs all work that becomes due, including work that other work schedules.
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
  public func run(limit: Int = 10_000) {
    var count = 0
    while count < limit, let work = takeNext(until: nil) {
      work()
      count += 1
    }
  }

  /// Advances the time to the next work and returns it; without work until the end, advances to the end.
  private func takeNext(until end: Duration?) -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard let next = state.earliest(), end.map({ next.instant <= $0 }) ?? true else {
        // In the same step, so that work that another thread schedules until the end is not left behind.
        if let end { state.now = max(state.now, end) }
        return nil
      }
      state.entries.takeFirst()
      state.now = max(state.now, next.instant)
      return state.work.removeValue(forKey: next.order)
    }
  }
}
