public import Signals
import Synchronization

/// A recorder of a signal's events, which a test can inspect or wait for.
///
/// It subscribes when it is created, and disposes the subscription when it is deallocated.
public final class SignalRecorder<Value: Sendable, Failure: Error>: Sendable {
  private struct State {
    var events: [Event<Value, Failure>] = []
    var violations: [String] = []
    var waiters: [Int: (isMet: @Sendable ([Event<Value, Failure>]) -> Bool, resume: @Sendable (Bool) -> Void)] = [:]
    var nextWaiter = 0
  }

  /// The storage, retained by the subscription, so that the recorder can be deallocated while it is subscribed.
  private final class Tape: Sendable {
    let state = Guarded(State())
    let delivering = Atomic<Int>(0)

    func add(_ event: Event<Value, Failure>) {
      let overlaps = delivering.add(1, ordering: .acquiringAndReleasing).newValue > 1
      defer { delivering.subtract(1, ordering: .acquiringAndReleasing) }
      let resumed = state.withLock { state -> [@Sendable (Bool) -> Void] in
        if overlaps { state.violations.append("two deliveries at once, at event \(state.events.count)") }
        if state.events.last?.isTerminal == true { state.violations.append("\(event) after the end") }
        state.events.append(event)
        let met = state.waiters.filter { $0.value.isMet(state.events) }
        for key in met.keys { state.waiters[key] = nil }
        return met.values.map(\.resume)
      }
      for resume in resumed { resume(true) }
    }
  }

  private let tape = Tape()

  /// The subscription; disposing it ends the recording.
  public let subscription: Disposable

  /// Creates a recorder and subscribes to a signal.
  ///
  /// - Parameter signal: the signal to record.
  public init(_ signal: Signal<Value, Failure>) {
    let tape = tape
    subscription = signal.subscribe { tape.add($0) }
  }

  deinit { subscription.dispose() }

  /// All events so far.
  public var events: [Event<Value, Failure>] { tape.state.withLock { $0.events } }

  /// The values so far.
  public var values: [Value] { events.compactMap(\.value) }

  /// The failure; `nil` if the signal has not failed.
  public var failure: Failure? { events.last?.failure }

  /// Whether it has completed.
  public var isCompleted: Bool { if case .completed? = events.last { true } else { false } }

  /// Whether it has failed or completed.
  public var hasEnded: Bool { events.last?.isTerminal ?? false }

  /// The violations of the signal contract: events after termination and overlapping deliveries.
  ///
  /// Empty for a correct signal.
  public var violations: [String] { tape.state.withLock { $0.violations } }

  /// Disposes the subscription, without an event.
  public func dispose() { subscription.dispose() }

  /// Waits until the recorded events meet a condition.
  ///
  /// - Parameters:
  ///   - timeout: the maximum time to wait. Default: 10 seconds.
  ///   - condition: evaluates all events so far; called after each event.
  /// - Returns: whether the condition was met in time.
  @discardableResult
  public func wait(
    for timeout: Duration = .seconds(10), until condition: @escaping @Sendable ([Event<Value, Failure>]) -> Bool
  ) async -> Bool {
    let tape = tape
    return await withCheckedContinuation { continuation in
      let once = Guarded<CheckedContinuation<Bool, Never>?>(continuation)
      let resume: @Sendable (Bool) -> Void = { isMet in
        once.withLock { $0.take() }?.resume(returning: isMet)
      }
      let key = tape.state.withLock { state -> Int? in
        if condition(state.events) { return nil }
        state.nextWaiter += 1
        state.waiters[state.nextWaiter] = (condition, resume)
        return state.nextWaiter
      }
      guard let key else { return resume(true) }
      let scheduler: any SignalScheduler = .global
      scheduler.schedule(after: timeout) {
        let isStillWaiting = tape.state.withLock { $0.waiters.removeValue(forKey: key) != nil }
        if isStillWaiting { resume(false) }
      }
    }
  }

  /// Waits until the signal has failed or completed.
  ///
  /// - Parameter timeout: the maximum time to wait. Default: 10 seconds.
  /// - Returns: whether the signal terminated in time.
  @discardableResult
  public func waitForEnd(_ timeout: Duration = .seconds(10)) async -> Bool {
    await wait(for: timeout) { $0.last?.isTerminal ?? false }
  }
}
