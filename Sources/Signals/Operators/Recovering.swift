extension Signal {
  /// Continues with another signal when this one fails.
  ///
  /// The replacement starts on the thread that delivers the failure. If another thread is still starting this signal,
  /// the replacement starts there, once that start has returned. The replacement starts after the teardown of this
  /// signal, but it does not wait for a start on a scheduler (``subscribe(on:)``), or of a shared source by an earlier
  /// subscriber: if this signal fails during such a start, the teardown runs afterwards. The handler runs before the
  /// teardown if this signal fails while it is being started.
  /// - Parameter handler: Returns the replacement for a failure, on the thread that delivers the failure.
  /// - Returns: A signal that fails only if its replacement fails.
  public func `catch`<Problem: Error>(
    _ handler: @escaping @Sendable (Failure) -> Signal<Value, Problem>
  ) -> Signal<Value, Problem> {
    .stage { downstream in
      let successor = Successor(downstream)
      feed(
        downstream, next: downstream.next,
        end: { end in
          if case .failed(let failure) = end { return successor.follow { handler(failure) } }
          downstream.end(end.catchFailure { _ in .completed })
        })
      return successor.takeTailCall()
    }
  }

  /// Passes values through a closure, and continues with another signal when this one fails.
  ///
  /// A single stage, because every attempt of a request has it.
  @inlinable
  package func following(
    value transform: @escaping @Sendable (Value) -> Value = { $0 },
    failure handler: @escaping @Sendable (Failure, _ hasSent: Bool) -> Signal
  ) -> Signal {
    .stage { downstream in
      let successor = Successor(downstream)
      let hasSent = Cell(false)
      feed(
        downstream,
        next: {
          hasSent.value = true
          downstream.next(transform($0))
        },
        end: { end in
          switch end {
          case .last(let value): downstream.end(.last(transform(value)))
          case .failed(let failure):
            let hasSent = hasSent.value
            successor.follow { handler(failure, hasSent) }
          case .completed, .abandoned, .unreachable: downstream.end(end)
          }
        })
      return successor.takeTailCall()
    }
  }

  /// Passes events through a closure, and continues with the signal that it returns for a failure.
  ///
  /// A last value and its completion are delivered as one event, after the closure has received both. The replacement
  /// starts at once, even while another thread still starts this signal, which must then start nothing more once its
  /// work is disposed. A single stage, because every cached request has it.
  /// - Parameter observe: Receives each event, and returns the replacement of a failure; `nil` to deliver the failure.
  ///   For other events its result has no effect.
  /// - Returns: The signal.
  @inlinable
  package func replacingFailure(by observe: @escaping @Sendable (Event<Value, Failure>) -> Signal?) -> Signal {
    .stage { downstream in
      feed(
        downstream,
        next: {
          _ = observe(.value($0))
          downstream.next($0)
        },
        end: { end in
          switch end {
          case .last(let value):
            _ = observe(.value(value))
            _ = observe(.completed)
          case .completed: _ = observe(.completed)
          case .failed(let failure):
            guard let replacement = observe(.failed(failure)) else { break }
            downstream.scope.clear()
            return replacement.run(in: downstream)
          case .abandoned, .unreachable: break
          }
          downstream.end(end)
        })
      return nil
    }
  }

  /// Subscribes again when the signal fails, up to a maximum number of retries.
  ///
  /// After the last retry, the last failure is forwarded. Values of failed attempts have already been sent. A
  /// completion is never retried. Each subscription counts its own retries. Disposing the subscription cancels a
  /// pending delay.
  ///
  /// Each attempt is torn down before the next one, unless it fails during a start on a scheduler (``subscribe(on:)``),
  /// or during the start of a shared source by an earlier subscriber: the teardown then runs after that start.
  /// - Parameters:
  ///   - count: The maximum number of retries after the first attempt. Values below 1 mean no retries.
  ///   - backoff: The delays before the retries. Default: none; a retry then starts on the thread that delivers the
  ///     failure, or on the thread that is still starting the failed attempt.
  ///   - scheduler: The clock of the delays. A delayed retry starts on it, or on the thread that is still starting the
  ///     delay or the failed attempt. Default: `.global`.
  /// - Returns: A signal that fails only after the last retry.
  public func retry(_ count: Int, _ backoff: Backoff = .none, on scheduler: some SignalScheduler = .global) -> Signal {
    retrying { _, number in
      guard number <= count else { return nil }
      let delay = backoff.delay(before: number)
      return delay > .zero ? Signal<Void, Failure>.timer(after: delay, on: scheduler) : .empty
    }
  }

  /// Subscribes again immediately when the signal fails and a predicate allows a retry; it receives the failure and the
  /// number of the retry, counted from 1, on the thread that delivers the failure.
  public func retry(when shouldRetry: @escaping @Sendable (Failure, Int) -> Bool) -> Signal {
    retrying { failure, count in shouldRetry(failure, count) ? .empty : nil }
  }

  /// Subscribes again after each failure for which `pause` returns a signal, when that signal has completed.
  private func retrying(
    from count: Int = 1, _ pause: @escaping @Sendable (Failure, Int) -> Signal<Void, Failure>?
  ) -> Signal {
    self.catch { failure in
      guard let delay = pause(failure, count) else { return .fail(failure) }
      return delay.then(retrying(from: count + 1, pause))
    }
  }

  /// Sends a default value if the signal completes without a value.
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
  /// Changes the failure type of a signal that cannot fail, to compose it with signals that can; it still never fails.
  public func setFailureType<Problem: Error>(to type: Problem.Type) -> Signal<Value, Problem> {
    mapError { never -> Problem in }
  }
}
