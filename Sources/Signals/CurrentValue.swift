/// A value that changes: a subscriber gets the latest first and then every change.
///
/// It may be read and set from any thread. It does not end; when it is deallocated, its subscribers get no event and are
/// released, and a `for await` loop over it ends.
public final class CurrentValue<Value: Sendable>: Sendable {
  private let hub: Hub<Value, Never>
  /// Set together with the hub's replayed value, under the hub's lock.
  private let latest: Guarded<(value: Value, version: Int)>

  /// Makes a value to start from.
  public init(_ value: Value) {
    latest = Guarded((value, 0))
    hub = Hub(replaying: 1, [value], isFedByHand: true)
  }

  deinit { hub.end(.abandoned) }

  /// The latest value.
  ///
  /// Setting it sends it to all subscribers, also when it is equal to the one before. `value += 1` reads and sets in two
  /// steps; use ``modify(_:)`` where several threads change it.
  public var value: Value {
    get { latest.withLock { $0.value } }
    set { send(newValue) }
  }

  /// The latest value, at once on the subscriber's thread, and then every change.
  ///
  /// The signal keeps the current value alive, its subscriptions do not. Changes that other threads make faster than the
  /// subscriber takes them while it subscribes are delivered on the system's concurrent queue.
  public var signal: Signal<Value, Never> {
    .stage { downstream in
      _ = self.hub.add(downstream)
      return nil
    }
  }

  /// Sets the value and sends it to all subscribers.
  ///
  /// Complexity: O(subscribers).
  public func send(_ value: Value) { set(value) }

  /// Sets the value, if none has been set since a version.
  @discardableResult
  private func set(_ value: Value, after version: Int? = nil) -> Bool {
    var before: Value?
    defer { withExtendedLifetime(before) {} }
    return hub.next(value, after: version) { version in
      latest.withLock { latest in
        before = latest.value
        latest = (value, version)
      }
    }
  }

  /// Changes the value in one step and sends it to all subscribers.
  ///
  /// - Parameter change: changes a copy of the value. It runs again if another thread has set the value meanwhile, so it
  ///   must have no other effects; no lock is held while it runs.
  /// - Returns: what `change` returned for the value that was set.
  /// - Throws: what `change` throws; the value is not set then.
  @discardableResult
  public func modify<Result, Problem: Error>(_ change: (inout Value) throws(Problem) -> Result) throws(Problem)
    -> Result
  {
    while true {
      var (value, version) = latest.withLock { $0 }
      let result = try change(&value)
      if set(value, after: version) { return result }
    }
  }
}
