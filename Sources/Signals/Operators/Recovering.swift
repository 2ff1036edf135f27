/// When a failed signal is subscribed to again.
///
/// The delay before retry `n` (counted from 1) is `delay` for ``times(_:delay:)`` and
/// `min(base × 2ⁿ⁻¹, ceiling)` for ``exponential(_:base:ceiling:)``:
///
/// | retry | 1 | 2 | 3 | 4 | 5 | 6 |
/// |---|---|---|---|---|---|---|
/// | base 0.5 s, ceiling 10 s | 0.5 | 1 | 2 | 4 | 8 | 10 |
public struct RetryPolicy: Sendable, Hashable {
  let count: Int
  let base: Duration
  let factor: Int
  let ceiling: Duration

  /// Retries at most `count` times after the first try, each after the same delay.
  ///
  /// - Parameters:
  ///   - count: how many retries; 0 or less means none.
  ///   - delay: how long to wait before each. Default: none, the retry runs where the failure arrived.
  /// - Returns: the policy.
  public static func times(_ count: Int, delay: Duration = .zero) -> RetryPolicy {
    RetryPolicy(count: count, base: delay, factor: 1, ceiling: delay)
  }

  /// Retries at most `count` times after the first try, each after twice the delay of the one before.
  ///
  /// - Parameters:
  ///   - count: how many retries; 0 or less means none.
  ///   - base: the delay before the first retry. Default: 0.5 seconds.
  ///   - ceiling: the longest delay. Default: 30 seconds.
  /// - Returns: the policy.
  public static func exponential(
    _ count: Int, base: Duration = .milliseconds(500), ceiling: Duration = .seconds(30)
  ) -> RetryPolicy {
    RetryPolicy(count: count, base: base, factor: 2, ceiling: ceiling)
  }

  /// The delay before a retry, counted from 1.
  func delay(before retry: Int) -> Duration {
    var delay = min(base, ceiling)
    for _ in 1..<max(1, retry) where delay < ceiling && delay > .zero { delay = min(delay * factor, ceiling) }
    return delay
  }
}

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

  /// Subscribes again when the signal fails, as a policy says; forwards the last failure when it gives up.
  ///
  /// Retries are counted for each subscription. A delay that is pending ends with the subscription.
  /// - Parameters:
  ///   - policy: how often and after which delays.
  ///   - scheduler: whose clock times the delays. Default: `.global`.
  /// - Returns: a signal that fails only when it has given up.
  public func retry(_ policy: RetryPolicy, on scheduler: some Scheduler = .global) -> Signal {
    retrying { _, count in
      guard count <= policy.count else { return nil }
      let delay = policy.delay(before: count)
      return delay > .zero ? Signal<Void, Failure>.timer(after: delay, on: scheduler) : .empty
    }
  }

  /// Subscribes again, at once, each time the signal fails and a test says so.
  ///
  /// - Parameter shouldRetry: gets the failure and the number of the retry, from 1.
  /// - Returns: a signal that fails only when it has given up.
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
