extension Signal {
  /// Sends the running result of updating a result in place with each value.
  ///
  /// The seed itself is not sent. It completes and fails with the source. An array that nobody keeps is not copied.
  /// - Parameters:
  ///   - seed: the first result, for each subscription anew.
  ///   - update: updates the result, on the thread that delivers the value.
  /// - Returns: a signal of the running results.
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

  /// Sends one value when the signal completes: a result updated in place with all values, the seed for none.
  ///
  /// A failure passes and drops the result. The time is linear in the number of values, for arrays too.
  /// - Parameters:
  ///   - seed: the first result, for each subscription anew.
  ///   - update: updates the result, on the thread that delivers the value.
  /// - Returns: a signal of one value.
  public func reduce<Result: Sendable>(
    into seed: Result, _ update: @escaping @Sendable (inout Result, Value) -> Void
  ) -> Signal<Result, Failure> {
    gather(seed, update)
  }

  /// Sends each value together with the one before it; nothing for the first value.
  ///
  /// It completes and fails with the source.
  public func pairwise() -> Signal<(previous: Value, current: Value), Failure> {
    .deferred {
      let latest = Cell<Value?>(nil)
      return compactMap { value in
        defer { latest.value = .some(value) }
        return latest.value.map { (previous: $0, current: value) }
      }
    }
  }

  /// Sends the values in arrays of a fixed count; at completion, the rest in a shorter one.
  ///
  /// A failure passes and drops the rest.
  /// - Parameter count: the count of each array; less than 1 counts as 1.
  /// - Returns: a signal of arrays, none of which is empty.
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
          case .failed(let failure): return downstream.end(.failed(failure))
          case .abandoned: return downstream.end(.abandoned)
          case .unreachable: return downstream.end(.unreachable)
          }
          downstream.end(values.isEmpty ? .completed : .last(values))
        })
      return nil
    }
  }

  /// Sends the values of each interval in an array; an interval without values sends nothing.
  ///
  /// Intervals are counted from the subscription. At completion the values of the current interval are sent at once; a
  /// failure passes at once and drops them. Memory grows with the number of values in an interval. The timer runs only while
  /// there are values to send.
  /// - Parameters:
  ///   - interval: the length of an interval; less than 1 millisecond counts as 1.
  ///   - scheduler: whose clock counts and where arrays are delivered. Default: `.global`.
  /// - Returns: a signal of arrays, none of which is empty.
  public func collect(every interval: Duration, on scheduler: some SignalScheduler = .global) -> Signal<
    [Value], Failure
  > {
    .stage { downstream in
      let buffer = IntervalBuffer<Value, Failure>(interval, scheduler, downstream)
      feed(downstream, scope: buffer.source, next: { buffer.next($0) }, end: { buffer.end($0) })
      return nil
    }
  }

  /// Sends values of your own after those of this signal, when it has completed.
  ///
  /// A failure passes without them.
  /// - Parameter values: the values to send last.
  /// - Returns: a signal of both, one after the other.
  public func append(_ values: Value...) -> Signal {
    values.isEmpty ? self : concat(.from(values))
  }
}
