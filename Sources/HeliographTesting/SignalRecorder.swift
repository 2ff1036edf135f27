public import Signals
import Synchronization

/// A recorder of a signal's events, which a test can inspect or wait for.
///
/// It subscribes when it is created, and disposes the subscription when it is deallocated.
public final class SignalRecorder<Value: Sendable, Failure: Error>: Sendable {
  private struct State {
    var events: [Event<Value, Failure>] = []
    var violations: [String] = []
    var waiters: [Int: Waiter] = [:]
    var nextWaiter = 0
  }

  private struct Waiter: Sendable {
    let isMet: @Sendable ([Event<Value, Failure>]) -> Bool
    let continuation: CheckedContinuation<Bool, Never>
  }

  /// The storage, retained by the subscription, so that the recorder can be deallocated while it is subscribed.
  private final class Storage: Sendable {
    let state = Guarded(State())
    let deliveryCount = Atomic<Int>(0)

    func add(_ event: Event<Value, Failure>) {
      let overlaps = deliveryCount.add(1, ordering: .acquiringAndReleasing).newValue > 1
      defer { deliveryCount.subtract(1, ordering: .acquiringAndReleasing) }
      let (events, waiters) = state.withLock { state in
        if overlaps { state.violations.append("two deliveries at once, at event \(state.events.count)") }
        if state.events.last?.isTerminal == true { state.violations.append("\(event) after the end") }
        state.events.append(event)
        return (state.waiters.isEmpty ? [] : state.events, state.waiters)
      }
      for (key, waiter) in waiters where waiter.isMet(events) { resume(key, true) }
    }

    /// Resumes a waiter, unless it has been resumed already.
    func resume(_ key: Int, _ isMet: Bool) {
      state.withLock { $0.waiters.removeValue(forKey: key) }?.continuation.resume(returning: isMet)
    }

    /// Adds a waiter, and resumes it at once if its condition is met or the task is cancelled.
    func register(_ key: Int, _ waiter: Waiter) {
      let events = state.withLock { state in
        state.waiters[key] = waiter
        return state.events
      }
      let isMet = waiter.isMet(events)
      if isMet || Task.isCancelled { resume(key, isMet) }
    }
  }

  private let storage = Storage()

  /// The subscription; disposing it ends the recording.
  public let subscription: Disposable

  /// Creates a recorder and subscribes to a signal.
  public init(_ signal: Signal<Value, Failure>) {
    let storage = storage
    subscription = signal.subscribe { storage.add($0) }
  }

  deinit { subscription.dispose() }

  /// All recorded events, in order.
  public var events: [Event<Value, Failure>] { storage.state.withLock { $0.events } }

  /// All recorded values, in order.
  public var values: [Value] { events.compactMap(\.value) }

  /// The failure; `nil` if the signal has not failed.
  public var failure: Failure? { events.last?.failure }

  /// Whether the signal has completed.
  public var isCompleted: Bool { if case .completed? = events.last { true } else { false } }

  /// Whether the signal has terminated: failed or completed.
  public var hasEnded: Bool { events.last?.isTerminal ?? false }

  /// The violations of the signal contract: events after termination and overlapping deliveries.
  ///
  /// Empty for a conforming signal.
  public var violations: [String] { storage.state.withLock { $0.violations } }

  /// Disposes the subscription; no event is recorded.
  public func dispose() { subscription.dispose() }

  /// Waits until the recorded events meet a condition.
  ///
  /// - Parameters:
  ///   - timeout: The maximum time to wait. Default: 10 seconds.
  ///   - condition: Evaluates all recorded events. It is called at once on the waiting task's thread, and after each event on
  ///     the delivering thread; outside any lock.
  /// - Returns: Whether the condition was met in time, and before the task was cancelled.
  @discardableResult
  public func wait(
    for timeout: Duration = .seconds(10), until condition: @escaping @Sendable ([Event<Value, Failure>]) -> Bool
  ) async -> Bool {
    let storage = storage
    let key = storage.state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    let timer = Guarded<Disposable?>(nil)
    // Disposed in any case, because it retains all values.
    defer { timer.withLock { $0.take() }?.dispose() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        storage.register(key, Waiter(isMet: condition, continuation: continuation))
        let scheduler: any SignalScheduler = .global
        let expiry = scheduler.schedule(after: timeout) { storage.resume(key, false) }
        timer.withLock { $0 = expiry }
      }
    } onCancel: {
      storage.resume(key, false)
    }
  }

  /// Waits until the signal has failed or completed.
  ///
  /// - Parameter timeout: The maximum time to wait. Default: 10 seconds.
  /// - Returns: Whether the signal terminated in time.
  @discardableResult
  public func waitForEnd(_ timeout: Duration = .seconds(10)) async -> Bool {
    await wait(for: timeout) { $0.last?.isTerminal ?? false }
  }
}
