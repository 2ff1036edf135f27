/// A mutable value that sends its current value to each new subscriber, followed by every later value.
///
/// It may be read and set from any thread, and it never terminates. When it is deallocated, its subscribers are
/// released without an event, and a `for await` loop over it ends.
public final class CurrentValue<Value: Sendable>: Sendable {
  // A struct rather than a tuple: the runtime looks up a tuple's metadata under a lock at each access.
  private struct Latest {
    var value: Value
    var version: Int
    /// The number of values that differed from the previous one; `nil` if changes are not counted.
    var changes: ChangeCount?
    var isChange: (@Sendable (Value, Value) -> Bool)?
  }

  private let hub: Hub<Value, Never>
  /// Updated together with the hub's replay buffer, under the hub's lock.
  private let latest: Guarded<Latest>

  /// Creates a current value with an initial value.
  public init(_ value: Value) {
    latest = Guarded(Latest(value: value, version: 0))
    hub = Hub(replaying: 1, [value])
  }

  deinit { hub.end(.abandoned) }

  /// The current value.
  ///
  /// Setting it sends the value as ``send(_:)`` does, even if it equals the previous value. `value += 1` is not atomic:
  /// it reads and sets in two steps. Use ``modify(_:)`` if several threads change the value.
  public var value: Value {
    get { latest.withLock { $0.value } }
    set { send(newValue) }
  }

  /// A signal that sends the current value on the subscriber's thread, followed by every later value.
  ///
  /// The signal retains the `CurrentValue`; its subscriptions do not. If other threads set values faster than a new
  /// subscriber handles them, the queued values are delivered on the system's concurrent queue.
  public var signal: Signal<Value, Never> {
    .stage { downstream in
      _ = self.hub.add(downstream)
      return nil
    }
  }

  /// A read-only view of this value; it retains the `CurrentValue`.
  public var property: Property<Value> { Property(signal) { self.value } }

  /// Sets the value and sends it to all subscribers, on the calling thread before this returns.
  ///
  /// While another value is being delivered, by another thread or in a subscriber's handler, the thread that delivers
  /// sends this one afterwards; one that the same thread then sends to another subject may overtake it.
  ///
  /// Complexity: O(subscribers).
  public func send(_ value: Value) { set(value) }

  /// Sets the value, unless it has been set since a given version.
  @discardableResult
  private func set(_ value: Value, after version: Int? = nil) -> Bool {
    var previous: Value?
    defer { withExtendedLifetime(previous) {} }
    return hub.next(value, after: version) { version in
      latest.withLock { latest in
        previous = latest.value
        if latest.isChange?(latest.value, value) == true { latest.changes?.increment() }
        (latest.value, latest.version) = (value, version)
      }
    }
  }

  /// Updates the value atomically and sends it to all subscribers, as ``send(_:)`` does.
  ///
  /// - Parameter change: Updates a copy of the value. It runs again if another thread has set the value in the
  ///   meantime, so it must have no side effects. No lock is held while it runs.
  /// - Returns: The result of the run of `change` whose value was set.
  /// - Throws: The error that `change` throws; the value is then unchanged.
  @discardableResult
  public func modify<Result, Problem: Error>(_ change: (inout Value) throws(Problem) -> Result) throws(Problem)
    -> Result
  {
    while true {
      var latest = latest.withLock { $0 }
      let result = try change(&latest.value)
      if set(latest.value, after: latest.version) { return result }
    }
  }
}

// Only for strings, because values are compared inside the lock.
extension CurrentValue where Value == String? {
  /// Counts the changes from now on, and returns their count; setting an equal value is not a change.
  package func countChanges() -> ChangeCount {
    let new = ChangeCount()
    return latest.withLock { latest in
      if let changes = latest.changes { return changes }
      (latest.changes, latest.isChange) = (new, { $0 != $1 })
      return new
    }
  }

  /// The current value with the number of its changes, read in one step.
  ///
  /// A reader thereby learns of values that were replaced before it read them.
  package var counted: (value: String?, changeCount: Int) { latest.withLock { ($0.value, $0.changes?.value ?? 0) } }
}

/// A read-only view of a changing value, such as a ``CurrentValue`` that only its owner may set.
///
/// ```swift
/// final class Cart: Sendable {
///   private let current = CurrentValue(0)
///   var count: Property<Int> { current.property }
///   var isEmpty: Property<Bool> { count.map { $0 == 0 } }
/// }
/// ```
/// It may be read from any thread. It retains the underlying `CurrentValue` and creates no subscription.
public struct Property<Value: Sendable>: Sendable {
  private let read: @Sendable () -> Value

  /// A signal that sends the current value on the subscriber's thread, followed by every later value.
  ///
  /// The signal of a constant property sends its value and completes; any other signal never terminates.
  public let signal: Signal<Value, Never>

  /// Creates a property from a signal and a closure that reads its current value.
  package init(_ signal: Signal<Value, Never>, _ read: @escaping @Sendable () -> Value) {
    self.signal = signal
    self.read = read
  }

  /// Creates a property whose value never changes.
  public init(_ constant: Value) {
    self.init(.just(constant)) { constant }
  }

  /// The current value.
  public var value: Value { read() }

  /// Returns a property whose value is derived from this property's value.
  ///
  /// Nothing is stored and no subscription is created. The transform runs at each read of ``value``, on the reading
  /// thread, and for each value and subscriber of ``signal``, on the delivering thread. Equal values are sent too;
  /// `signal.distinctUntilChanged()` drops them.
  /// - Parameter transform: Derives the value. It should have no side effects.
  /// - Returns: The derived property.
  public func map<Output: Sendable>(_ transform: @escaping @Sendable (Value) -> Output) -> Property<Output> {
    Property<Output>(signal.map(transform)) { [read] in transform(read()) }
  }
}
