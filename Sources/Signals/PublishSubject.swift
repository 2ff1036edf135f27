/// A signal that is fed by hand: hot, so subscribers get the values that are sent after they have subscribed.
///
/// It may be fed from any thread; each subscriber gets one event at a time, in one order for all. While one thread
/// delivers, values sent by others are delivered by that thread. When the subject is deallocated before it has ended, its
/// subscribers get no event and are released; a `for await` loop over it ends.
public final class PublishSubject<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let hub = Hub<Value, Failure>(replaying: 0, isFedByHand: true)

  /// Makes a subject without subscribers.
  public init() {}

  deinit { hub.end(.abandoned) }

  /// The values that are sent after the subscription; after the end, the terminal event.
  ///
  /// The signal keeps the subject alive, its subscriptions do not.
  public var signal: Signal<Value, Failure> {
    .stage { downstream in
      _ = self.hub.add(downstream)
      return nil
    }
  }

  /// Sends a value to all subscribers.
  ///
  /// Complexity: O(subscribers).
  @inlinable
  public func send(_ value: Value) { hub.next(value) }

  /// Fails all subscribers, now and later.
  public func fail(_ failure: Failure) { hub.end(.failed(failure)) }

  /// Completes all subscribers, now and later.
  public func complete() { hub.end(.completed) }
}
