public import Signals
import Synchronization

/// A recorder of a signal's events, which a test can inspect or wait for.
///
/// It subscribes when it is created, and disposes the subscription when it is deallocated.
public final class SignalRecorder<Value: Sendable, Failure: Error>: Sendable {
  private struct State {
    var events: [Event<Value, Failure>] = []
    var violations: [String] = []
  }

  /// The storage, retained by the subscription, so that the recorder can be deallocated while it is subscribed.
  private final class Storage: Sendable {
    let state = Guarded(State())
    let deliveryCount = Atomic<Int>(0)
    /// The number of events.
    let count = CurrentValue(0)

    func add(_ event: Event<Value, Failure>) {
      let overlaps = deliveryCount.add(1, ordering: .acquiringAndReleasing).newValue > 1
      defer { deliveryCount.subtract(1, ordering: .acquiringAndReleasing) }
      let count = state.withLock { state in
        if overlaps { state.violations.append("two deliveries at once, at event \(state.events.count)") }
        if state.events.last?.isTerminal == true { state.violations.append("\(event) after the end") }
        state.events.append(event)
        return state.events.count
      }
      // Deliveries at once may come in another order.
      self.count.modify { $0 = max($0, count) }
    }

    var events: [Event<Value, Failure>] { state.withLock { $0.events } }
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
  public var events: [Event<Value, Failure>] { storage.events }

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
  ///   - condition: Evaluates all recorded events. It is called at once on the waiting task's thread, and after each
  ///     event, usually on the delivering thread; outside any lock.
  /// - Returns: Whether the condition was met in time, and before the task was cancelled.
  @discardableResult
  public func wait(
    for timeout: Duration = .seconds(10), until condition: @escaping @Sendable ([Event<Value, Failure>]) -> Bool
  ) async -> Bool {
    let storage = storage
    let met = storage.count.signal.filter { condition(Array(storage.events.prefix($0))) }.map { _ in true }
    let expired = Signal<Void, Never>.timer(after: timeout).map { false }
    // A cancelled task receives no value.
    return await met.merge(expired).first() ?? condition(storage.events)
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
