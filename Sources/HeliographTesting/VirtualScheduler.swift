public import Signals

/// A scheduler with a virtual time that a test advances.
///
/// ```swift
/// let clock = VirtualScheduler()
/// let recorder = SignalRecorder(Signal<Int, Never>.just(1).delay(.seconds(60), on: clock))
/// clock.advance(by: .seconds(60))
/// print(recorder.values)  // [1]
/// ```
/// Due work runs on the thread that advances the time, ordered by its instants and, for equal instants, by the order of
/// scheduling. Nothing runs inside `schedule`.
public final class VirtualScheduler: SignalScheduler {
  private struct Entry {
    let instant: Duration
    let order: Int
    let work: @Sendable () -> Void
  }

  private struct State {
    var now: Duration = .zero
    var nextOrder = 0
    var entries: [Int: Entry] = [:]
  }

  private let state = Guarded(State())

  /// Creates a scheduler at time zero.
  public init() {}

  /// The virtual time.
  public var now: Duration { state.withLock { $0.now } }

  /// The number of scheduled work items that have neither run nor been cancelled.
  public var pendingCount: Int { state.withLock { $0.entries.count } }

  /// The instant of the next scheduled work; `nil` if there is none.
  package var nextInstant: Duration? { state.withLock { state in state.entries.values.map(\.instant).min() } }

  /// Schedules work for the next advance, even by zero.
  public func schedule(_ work: @escaping @Sendable () -> Void) { add(.zero, work) }

  /// Schedules work for a later instant.
  ///
  /// - Parameters:
  ///   - delay: the delay from now.
  ///   - work: the work; it is deallocated when it is cancelled.
  /// - Returns: the handle that cancels it.
  @discardableResult
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
    let order = add(delay, work)
    return Disposable { [weak self] in
      let cancelled = self?.state.withLock { $0.entries.removeValue(forKey: order) }
      withExtendedLifetime(cancelled) {}
    }
  }

  @discardableResult
  private func add(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.nextOrder += 1
      let instant = state.now + max(.zero, delay)
      state.entries[state.nextOrder] = Entry(instant: instant, order: state.nextOrder, work: work)
      return state.nextOrder
    }
  }

  /// Advances the time and runs all work that becomes due, including work scheduled meanwhile.
  ///
  /// - Parameter duration: the time to advance by; zero runs the work due now.
  public func advance(by duration: Duration = .zero) {
    let end = state.withLock { $0.now + max(.zero, duration) }
    while let entry = takeNext(until: end) { entry.work() }
    state.withLock { $0.now = max($0.now, end) }
  }

  /// Advances the time from one work item to the next, until nothing is scheduled.
  ///
  /// - Parameter limit: the maximum number of work items to run, in case each schedules more. Default: 10,000.
  public func run(limit: Int = 10_000) {
    var count = 0
    while count < limit, let entry = takeNext(until: nil) {
      entry.work()
      count += 1
    }
  }

  private func takeNext(until end: Duration?) -> Entry? {
    state.withLock { state in
      let next = state.entries.values.min { ($0.instant, $0.order) < ($1.instant, $1.order) }
      guard let next, end.map({ next.instant <= $0 }) ?? true else { return nil }
      state.entries[next.order] = nil
      state.now = max(state.now, next.instant)
      return next
    }
  }
}
