extension Signal {
  /// Transforms each value with a closure that may throw; an error fails the signal.
  ///
  /// - Parameter transform: Transforms a value, on the delivering thread. Write
  ///   `{ (value) throws(Failure) -> Output in … }`.
  /// - Returns: A signal of the transformed values.
  public func tryMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) throws(Failure) -> Output
  ) -> Signal<Output, Failure> {
    .stage { downstream in
      let stage = StoppingStage(downstream)
      let transformOrFail: @Sendable (Value) -> Output? = { value in
        if stage.isTerminated { return nil }
        do throws(Failure) {
          return try transform(value)
        } catch {
          stage.end(.failed(error))
          return nil
        }
      }
      feed(
        downstream, scope: stage.source,
        next: { value in if let output = transformOrFail(value) { stage.next(output) } },
        end: { end in
          if case .last(let value) = end {
            if let output = transformOrFail(value) { stage.end(.last(output)) }
          } else if let end = end.withoutValue(Output.self) {
            stage.end(end)
          }
        })
      return nil
    }
  }

  /// Transforms the failure, on the delivering thread; values and completion pass unchanged.
  @inlinable
  public func mapError<Problem: Error>(
    _ transform: @escaping @Sendable (Failure) -> Problem
  ) -> Signal<Value, Problem> {
    if case .ready(let value) = kind { return .just(value) }
    return .stage { downstream in
      feed(downstream, next: downstream.next, end: { downstream.end($0.catchFailure { .failed(transform($0)) }) })
      return nil
    }
  }

  /// Sends the running result of combining each value with the previous result.
  ///
  /// The initial result itself is not sent.
  ///
  /// - Parameters:
  ///   - seed: The initial result of each subscription.
  ///   - combine: Returns the next result, on the delivering thread.
  /// - Returns: A signal of the running results.
  public func scan<Result: Sendable>(
    _ seed: Result, _ combine: @escaping @Sendable (Result, Value) -> Result
  ) -> Signal<Result, Failure> {
    scan(into: seed) { $0 = combine($0, $1) }
  }

  /// Combines all values and sends the result at completion; without values, sends the initial result.
  ///
  /// - Parameters:
  ///   - seed: The initial result of each subscription.
  ///   - combine: Returns the next result, on the delivering thread.
  /// - Returns: A signal of one value.
  public func reduce<Result: Sendable>(
    _ seed: Result, _ combine: @escaping @Sendable (Result, Value) -> Result
  ) -> Signal<Result, Failure> {
    aggregate(seed) { $0 = combine($0, $1) }
  }

  /// Sends all values as one array at completion; without values, the array is empty.
  ///
  /// Memory grows with the number of values.
  public func collect() -> Signal<[Value], Failure> {
    aggregate([]) { $0.append($1) }
  }

  /// Sends each event, including the terminal one, as a value and then completes; the returned signal never fails.
  public func materialize() -> Signal<Event<Value, Failure>, Never> {
    .stage { downstream in
      feed(
        downstream, next: { downstream.next(.value($0)) },
        end: { end in
          switch end {
          case .last(let value):
            if downstream.send(CollectionOfOne(.value(value))) { downstream.end(.last(.completed)) }
          case .failed(let failure): downstream.end(.last(.failed(failure)))
          case .completed: downstream.end(.last(.completed))
          case .abandoned: downstream.end(.abandoned)
          case .unreachable: downstream.end(.unreachable)
          }
        })
      return nil
    }
  }

  /// The inverse of `materialize()`: delivers events that were sent as values; the first terminal event terminates the
  /// signal.
  public func dematerialize<Inner: Sendable, Problem: Error>() -> Signal<Inner, Problem>
  where Value == Event<Inner, Problem>, Failure == Never {
    .stage { downstream in
      let stage = StoppingStage(downstream)
      let deliver: @Sendable (Event<Inner, Problem>) -> Void = { event in
        switch event {
        case .value(let value): stage.next(value)
        case .failed(let failure): stage.end(.failed(failure))
        case .completed: stage.end(.completed)
        }
      }
      feed(
        downstream, scope: stage.source, next: deliver,
        end: { end in
          if case .last(let event) = end { deliver(event) }
          stage.end(end.withoutValue()?.catchFailure { never -> End<Inner, Problem> in } ?? .completed)
        })
      return nil
    }
  }

  /// Combines all values in place and sends the result at completion.
  func aggregate<Result: Sendable>(
    _ seed: Result, _ add: @escaping @Sendable (inout Result, Value) -> Void
  ) -> Signal<Result, Failure> {
    .stage { downstream in
      let result = Cell<Result?>(seed)
      let accumulate: @Sendable (Value) -> Void = { value in
        guard var sum = result.value.take() else { return }
        add(&sum, value)
        result.value = sum
      }
      feed(
        downstream, next: accumulate,
        end: { end in
          switch end {
          case .last(let value): accumulate(value)
          case .completed: break
          default: return end.withoutValue().map(downstream.end) ?? ()
          }
          if let sum = result.value.take() { downstream.end(.last(sum)) }
        })
      return nil
    }
  }
}
