extension Signal {
  /// A signal that sends one value and completes, at once.
  @inlinable
  public static func just(_ value: Value) -> Signal { Signal(.ready(value)) }

  /// A signal that completes at once, without a value.
  @inlinable public static var empty: Signal { Signal(.empty) }

  /// A signal that sends nothing and does not end; it holds nothing either.
  @inlinable public static var never: Signal {
    .stage { downstream in
      downstream.end(.unreachable)
      return nil
    }
  }

  /// A signal that fails at once.
  @inlinable
  public static func fail(_ failure: Failure) -> Signal { Signal(.failed(failure)) }

  /// A signal that is made anew for each subscription.
  ///
  /// - Parameter make: runs at each subscription, on the subscriber's thread.
  /// - Returns: a signal that comes to the one that is made.
  @inlinable
  public static func deferred(_ make: @escaping @Sendable () -> Signal) -> Signal { Signal(.deferred(make)) }

  /// A signal that sends the elements of a sequence and completes.
  ///
  /// It sends on the subscriber's thread, before `subscribe` returns; disposal stops it between two elements, so an
  /// infinite sequence can be cut with ``take(_:)``. Where values wait downstream (``observe(on:)``, ``values``) it pauses
  /// while 16 or more do, and goes on from the thread that takes them.
  @inlinable
  public static func from(_ sequence: some Sequence<Value> & Sendable) -> Signal {
    .stage { downstream in
      if let pressure = downstream.pressure {
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
