extension Signal {
  /// Creates a signal that sends one value and completes immediately.
  @inlinable
  public static func just(_ value: Value) -> Signal { Signal(.ready(value)) }

  /// A signal that completes immediately without a value.
  @inlinable public static var empty: Signal { Signal(.empty) }

  /// A signal that never sends an event; it retains nothing.
  @inlinable public static var never: Signal {
    .stage { downstream in
      downstream.end(.unreachable)
      return nil
    }
  }

  /// Creates a signal that fails immediately.
  @inlinable
  public static func fail(_ failure: Failure) -> Signal { Signal(.failed(failure)) }

  /// Creates a signal that calls a closure at each subscription, on the subscriber's thread, and runs the signal that
  /// the closure returns.
  @inlinable
  public static func deferred(_ make: @escaping @Sendable () -> Signal) -> Signal { Signal(.deferred(make)) }

  /// Creates a signal that sends the elements of a sequence and completes.
  ///
  /// The elements are sent on the subscriber's thread, before `subscribe` returns. Disposal stops the signal between
  /// two elements, so ``take(_:)`` can limit an infinite sequence; `zip` does not. If values are buffered downstream
  /// (`observe(on:)`, ``values``), the signal pauses at 16 buffered values. It continues on the scheduler of the
  /// nearest ``subscribe(on:)`` downstream of it or, if there is none, on the thread that consumes the values.
  @inlinable
  public static func from(_ sequence: some Sequence<Value> & Sendable) -> Signal {
    .stage { downstream in
      if let pressure = downstream.pressure, pressure.hasBoundary {
        var elements = sequence.makeIterator()
        PausingSequence(downstream, pressure) { elements.next() }.run()
        return nil
      }
      let (scope, next) = (downstream.scope, downstream.next)
      for value in sequence {
        if scope.isCancelled { return nil }
        next(value)
      }
      return .empty
    }
  }
}
