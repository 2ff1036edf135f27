extension Signal {
  /// Continues with another signal when this one fails.
  ///
  /// - Parameter handler: makes the signal to continue with, on the thread that delivers the failure.
  /// - Returns: a signal that can only fail as its replacement does.
  public func `catch`<Problem: Error>(
    _ handler: @escaping @Sendable (Failure) -> Signal<Value, Problem>
  ) -> Signal<Value, Problem> {
    .stage { downstream in
      let successor = Successor(downstream)
      feed(
        downstream, next: downstream.next,
        end: { end in
          switch end {
          case .last(let value): downstream.end(.last(value))
          case .failed(let failure): successor.follow { handler(failure) }
          case .completed: downstream.end(.completed)
          case .abandoned: downstream.end(.abandoned)
          case .unreachable: downstream.end(.unreachable)
          }
        })
      return successor.started()
    }
  }

  /// Subscribes again when the signal fails, up to a number of times; forwards the last failure after the last retry.
  ///
  /// Values of failed attempts have been sent by then; a completion is never retried. Each subscription counts its own
  /// retries, and each attempt is torn down before the next. Disposing the subscription cancels a pending delay.
  /// - Parameters:
  ///   - count: the maximum number of retries after the first attempt; 0 or less means none.
  ///   - backoff: the delays before the retries. Default: none, a retry runs where the failure arrived.
  ///   - scheduler: the clock of the delays; a delayed retry starts there. Default: `.global`.
  /// - Returns: a signal that fails only after the last retry.
  public func retry(_ count: Int, _ backoff: Backoff = .none, on scheduler: some SignalScheduler = .global) -> Signal {
    retrying { _, number in
      guard number <= count else { return nil }
      let delay = backoff.delay(before: number)
      return delay > .zero ? Signal<Void, Failure>.timer(after: delay, on: scheduler) : .empty
    }
  }

  /// Subscribes again when the signal fails, by a policy; see ``retry(_:_:on:)``.
  ///
  /// - Parameters:
  ///   - policy: the maximum number of retries and the delays before them.
  ///   - scheduler: the clock of the delays; a delayed retry starts there. Default: `.global`.
  /// - Returns: a signal that fails only after the last retry.
  public func retry(_ policy: RetryPolicy, on scheduler: some SignalScheduler = .global) -> Signal {
    retry(policy.count, policy.backoff, on: scheduler)
  }

  /// Subscribes again, at once, each time the signal fails and a test says so.
  ///
  /// - Parameter shouldRetry: gets the failure and the number of the retry, from 1.
  /// - Returns: a signal that fails when no retry is left.
  public func retry(when shouldRetry: @escaping @Sendable (Failure, Int) -> Bool) -> Signal {
    retrying { failure, count in shouldRetry(failure, count) ? .empty : nil }
  }

  /// Subscribes again after each failure for which there is a signal to wait for.
  private func retrying(
    from count: Int = 1, _ pause: @escaping @Sendable (Failure, Int) -> Signal<Void, Failure>?
  ) -> Signal {
    self.catch { failure in
      guard let interval = pause(failure, count) else { return .fail(failure) }
      return interval.then(retrying(from: count + 1, pause))
    }
  }

  /// Sends one value if the signal completes without any.
  public func ifEmpty(_ value: Value) -> Signal {
    .stage { downstream in
      let isEmpty = Cell(true)
      feed(
        downstream,
        next: {
          isEmpty.value = false
          downstream.next($0)
        },
        end: { end in
          if case .completed = end, isEmpty.value { downstream.end(.last(value)) } else { downstream.end(end) }
        })
      return nil
    }
  }
}

extension Signal where Failure == Never {
  /// The same signal, as one that could fail: to be composed with those that can.
  ///
  /// - Parameter type: the failure that it never has.
  /// - Returns: the signal.
  public func setFailureType<Problem: Error>(to type: Problem.Type) -> Signal<Value, Problem> {
    mapError { never -> Problem in }
  }
}
