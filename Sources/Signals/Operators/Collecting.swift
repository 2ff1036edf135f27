extension Signal {
  /// Sends the running result of updating a result in place with each value.
  ///
  /// The initial result itself is not sent. The returned signal completes or fails with its source. An array is copied
  /// only if a subscriber has kept it.
  /// - Parameters:
  ///   - seed: The initial result of each subscription.
  ///   - update: Updates the result, on the delivering thread.
  /// - Returns: A signal of the running results.
  public func scan<Result: Sendable>(
    into seed: Result, _ update: @escaping @Sendable (inout Result, Value) -> Void
  ) -> Signal<Result, Failure> {
    .deferred {
      let result = Cell(seed)
      return map { value in
        update(&result.value, value)
        return result.value
      }
    }
  }

  /// Updates a result in place with each value and sends it at completion; without values, sends the initial result.
  ///
  /// A failure is forwarded and drops the result. The time is linear in the number of values, even for arrays.
  /// - Parameters:
  ///   - seed: The initial result of each subscription.
  ///   - update: Updates the result, on the delivering thread.
  /// - Returns: A signal of one value.
  public func reduce<Result: Sendable>(
    into seed: Result, _ update: @escaping @Sendable (inout Result, Value) -> Void
  ) -> Signal<Result, Failure> {
    aggregate(seed, update)
  }

  /// Sends each value together with the previous one, starting with the second value.
  ///
  /// The returned signal completes or fails with its source.
  public func pairwise() -> Signal<(previous: Value, current: Value), Failure> {
    .deferred {
      let latest = Cell<Value?>(nil)
      return compactMap { value in
        defer { latest.value = .some(value) }
        return latest.value.map { (previous: $0, current: value) }
      }
    }
  }

  /// Collects values into arrays of a fixed count; at completion, sends the remaining values in a shorter array.
  ///
  /// A failure is forwarded and drops the remaining values.
  /// - Parameter count: The number of values in each array. Values below 1 count as 1.
  /// - Returns: A signal of nonempty arrays.
  public func collect(count: Int) -> Signal<[Value], Failure> {
    .stage { downstream in
      let buffer = Cell<[Value]>([])
      let takeAll: @Sendable () -> [Value] = {
        let values = buffer.value
        buffer.value = []
        return values
      }
      feed(
        downstream,
        next: { value in
          buffer.value.append(value)
          if buffer.value.count >= count { downstream.next(takeAll()) }
        },
        end: { end in
          var values = takeAll()
          switch end {
          case .last(let value): values.append(value)
          case .completed: break
          default: return end.withoutValue().map(downstream.end) ?? ()
          }
          downstream.end(values.isEmpty ? .completed : .last(values))
        })
      return nil
    }
  }

  /// Collects the values of each interval into an array; an interval without values sends nothing.
  ///
  /// The first interval starts at the subscription. At completion, the values of the current interval are sent at once,
  /// on the scheduler, and the completion follows them there. A failure is forwarded immediately and drops them. Memory
  /// grows with the number of values in an interval. The timer runs only while values are buffered.
  /// - Parameters:
  ///   - interval: The length of an interval. Values below 1 millisecond count as 1 millisecond.
  ///   - scheduler: The clock of the intervals and the scheduler that delivers the arrays. Default: `.global`.
  /// - Returns: A signal of nonempty arrays.
  public func collect(
    every interval: Duration, on scheduler: some SignalScheduler = .global
  ) -> Signal<[Value], Failure> {
    .stage { downstream in
      let buffer = IntervalBuffer<Value, Failure>(interval, scheduler, downstream)
      // Without `starts`: the source must not start inner signals that are further downstream.
      run(
        in: Downstream(
          next: { buffer.next($0) }, end: { buffer.end($0) }, scope: buffer.source,
          subscription: downstream.subscription, depth: downstream.depth, pressure: downstream.pressure))
      return nil
    }
  }

  /// Sends additional values when this signal has completed.
  ///
  /// If this signal fails, they are not sent.
  /// - Parameter values: The values to send last.
  /// - Returns: A signal of this signal's values, followed by the given ones.
  public func append(_ values: Value...) -> Signal {
    values.isEmpty ? self : concat(.from(values))
  }
}
