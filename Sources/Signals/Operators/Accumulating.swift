extension Signal {
  /// Sends each value transformed, or fails with what the transform throws.
  ///
  /// - Parameter transform: runs on the thread that delivers the value. Write `{ (value) throws(Failure) -> Output in … }`.
  /// - Returns: a signal of the transformed values.
  public func tryMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) throws(Failure) -> Output
  ) -> Signal<Output, Failure> {
    .stage { place in
      let upstream = place.child()
      let attempt: @Sendable (Value) -> Output? = { value in
        guard !upstream.isCancelled else { return nil }
        do throws(Failure) {
          return try transform(value)
        } catch {
          upstream.dispose()
          place.sink.end(.failed(error))
          return nil
        }
      }
      feed(
        place, scope: upstream,
        next: { value in if let output = attempt(value) { place.sink.next(output) } },
        end: { end in
          switch end {
          case .last(let value): if let output = attempt(value) { place.sink.end(.last(output)) }
          case .failed(let failure): place.sink.end(.failed(failure))
          case .completed: place.sink.end(.completed)
          }
        })
      return nil
    }
  }

  /// Sends the failure transformed; values and completion pass.
  @inlinable
  public func mapError<Problem: Error>(
    _ transform: @escaping @Sendable (Failure) -> Problem
  ) -> Signal<Value, Problem> {
    if case .ready(let value) = kind { return .just(value) }
    return .stage { place in
      feed(
        place, next: place.sink.next,
        end: { end in
          switch end {
          case .last(let value): place.sink.end(.last(value))
          case .failed(let failure): place.sink.end(.failed(transform(failure)))
          case .completed: place.sink.end(.completed)
          }
        })
      return nil
    }
  }

  /// Sends the running result of combining each value with the result before it.
  ///
  /// The seed itself is not sent.
  ///
  /// - Parameters:
  ///   - seed: the first result, for each subscription anew.
  ///   - combine: makes the next result, on the thread that delivers the value.
  /// - Returns: a signal of the running results.
  public func scan<Result: Sendable>(
    _ seed: Result, _ combine: @escaping @Sendable (Result, Value) -> Result
  ) -> Signal<Result, Failure> {
    .deferred {
      let result = Cell(seed)
      return map { value in
        result.value = combine(result.value, value)
        return result.value
      }
    }
  }

  /// Sends one value when the signal completes: all values combined, the seed for none.
  ///
  /// - Parameters:
  ///   - seed: the first result, for each subscription anew.
  ///   - combine: makes the next result, on the thread that delivers the value.
  /// - Returns: a signal of one value.
  public func reduce<Result: Sendable>(
    _ seed: Result, _ combine: @escaping @Sendable (Result, Value) -> Result
  ) -> Signal<Result, Failure> {
    gather(seed) { $0 = combine($0, $1) }
  }

  /// Sends one value when the signal completes: the array of all values, empty for none.
  ///
  /// Memory grows with the number of values.
  public func collect() -> Signal<[Value], Failure> {
    gather([]) { $0.append($1) }
  }

  /// Sends each event as a value, the ending too, and then completes; it never fails.
  public func materialize() -> Signal<Event<Value, Failure>, Never> {
    .stage { place in
      feed(
        place, next: { place.sink.next(.value($0)) },
        end: { end in
          switch end {
          case .last(let value):
            if place.sink.send(CollectionOfOne(.value(value)), in: place.scope) { place.sink.end(.last(.completed)) }
          case .failed(let failure): place.sink.end(.last(.failed(failure)))
          case .completed: place.sink.end(.last(.completed))
          }
        })
      return nil
    }
  }

  /// Turns values that are events back into the events of a signal; the first ending ends it.
  public func dematerialize<Inner: Sendable, Problem: Error>() -> Signal<Inner, Problem>
  where Value == Event<Inner, Problem>, Failure == Never {
    .stage { place in
      let upstream = place.child()
      let deliver: @Sendable (Event<Inner, Problem>) -> Void = { event in
        guard !upstream.isCancelled else { return }
        if event.isTerminal { upstream.dispose() }
        switch event {
        case .value(let value): place.sink.next(value)
        case .failed(let failure): place.sink.end(.failed(failure))
        case .completed: place.sink.end(.completed)
        }
      }
      feed(
        place, scope: upstream, next: deliver,
        end: { end in
          if case .last(let event) = end { deliver(event) }
          if !upstream.isCancelled { place.sink.end(.completed) }
        })
      return nil
    }
  }

  /// Combines all values in place and sends the result at completion.
  private func gather<Result: Sendable>(
    _ seed: Result, _ add: @escaping @Sendable (inout Result, Value) -> Void
  ) -> Signal<Result, Failure> {
    .stage { place in
      let result = Cell<Result?>(seed)
      let take: @Sendable (Value) -> Void = { value in
        guard var sum = result.value.take() else { return }
        add(&sum, value)
        result.value = sum
      }
      feed(
        place, next: take,
        end: { end in
          if case .failed(let failure) = end { return place.sink.end(.failed(failure)) }
          if case .last(let value) = end { take(value) }
          if let sum = result.value.take() { place.sink.end(.last(sum)) }
        })
      return nil
    }
  }
}
