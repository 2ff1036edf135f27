/// A signal that you feed by hand: hot, so subscribers get what is sent after they have come.
///
/// It may be fed from any thread; each subscriber gets one event at a time, in one order for all. When the subject goes
/// away its subscribers are let go without an event. (A subscription with stages that may have to stop it, such as `take`
/// or `flatMap`, and whose handle was dropped, keeps these stages for good, as with every source that never ends.)
public final class Subject<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let hub: Hub<Value, Failure>
  @usableFromInline let gate = Gate()

  /// Makes a subject without subscribers.
  public init() {
    hub = Hub(replaying: 0)
  }

  deinit { hub.abandon() }

  /// What is sent from the subscription on.
  ///
  /// Who comes after the end gets the ending. Keeps the subject alive.
  public var signal: Signal<Value, Failure> {
    .stage { place in
      self.hub.add(place)
      return nil
    }
  }

  /// Sends a value to all subscribers.
  ///
  /// Complexity: O(subscribers).
  @inlinable
  public func send(_ value: Value) {
    guard gate.enter(orKeep: Event<Value, Failure>.Whole.value(value)) else { return }
    hub.next(value)
    gate.leave { (event: Event<Value, Failure>.Whole) in deliver(event) }
  }

  /// Fails all subscribers, now and later.
  public func fail(_ failure: Failure) { end(.failed(failure)) }

  /// Completes all subscribers, now and later.
  public func complete() { end(.completed) }

  private func end(_ end: End<Value, Failure>) {
    guard gate.enter(orKeep: Event<Value, Failure>.Whole.end(end)) else { return }
    deliver(.end(end))
  }

  @inlinable
  func deliver(_ event: Event<Value, Failure>.Whole) {
    switch event {
    case .value(let value): hub.next(value)
    case .end(let end):
      gate.close()
      hub.end(end)
    }
  }
}

/// A value that changes: whoever subscribes gets the latest first and then every change.
///
/// It may be read and set from any thread. It does not end; when it goes away its subscribers are let go
/// without an event.
public final class CurrentValue<Value: Sendable>: Sendable {
  @usableFromInline let latest: Guarded<Value>
  private let hub: Hub<Value, Never>
  private let gate = Gate()

  /// Makes a value to start from.
  public init(_ value: Value) {
    latest = Guarded(value)
    hub = Hub(replaying: 1, [value])
  }

  deinit { hub.abandon() }

  /// The latest value.
  ///
  /// Setting it sends it to all subscribers, also when it is equal to the one before.
  public var value: Value {
    @inlinable get { latest.withLock { $0 } }
    set { send(newValue) }
  }

  /// The latest value, at once, and then every change.
  ///
  /// Keeps the value alive.
  public var signal: Signal<Value, Never> {
    .stage { place in
      self.hub.add(place)
      return nil
    }
  }

  /// Sets the value and sends it to all subscribers.
  ///
  /// Complexity: O(subscribers).
  public func send(_ value: Value) {
    var before: Value?
    // Entering the gate only notes the value, so that the last one set is also the last one sent.
    let isEntered = latest.withLock { latest in
      before = latest
      latest = value
      return gate.enter(orKeep: value)
    }
    withExtendedLifetime(before) {}
    guard isEntered else { return }
    hub.next(value)
    gate.leave { (value: Value) in hub.next(value) }
  }
}
