/// A hot source that multicasts the values sent to it to all current subscribers.
///
/// Values may be sent from any thread. Each subscriber receives one event at a time, and all subscribers receive the
/// events in the same order. While one thread delivers, it also delivers the values that other threads send. If the
/// subject is deallocated before it has terminated, its subscribers are released without an event, and a `for await`
/// loop over it ends.
public final class PublishSubject<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let hub = Hub<Value, Failure>(replaying: 0)

  /// Creates a subject without subscribers.
  public init() {}

  deinit { hub.end(.abandoned) }

  /// A signal of the values sent after the subscription; once the subject has terminated, only the terminal event is
  /// sent.
  ///
  /// The signal retains the subject; its subscriptions do not.
  public var signal: Signal<Value, Failure> {
    .stage { downstream in
      _ = self.hub.add(downstream)
      return nil
    }
  }

  /// Sends a value to all subscribers, on the calling thread before this returns, unless another delivery is in progress.
  ///
  /// A value that waits for that delivery may be overtaken by one that the same thread then sends to another subject.
  ///
  /// Complexity: O(subscribers).
  @inlinable
  public func send(_ value: Value) { hub.next(value) }

  /// Fails all current and future subscribers.
  public func fail(_ failure: Failure) { hub.end(.failed(failure)) }

  /// Completes all current and future subscribers.
  public func complete() { hub.end(.completed) }
}

extension PublishSubject where Value == Void {
  /// Sends `()` to all subscribers.
  public func send() { send(()) }
}
