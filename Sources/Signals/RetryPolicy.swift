/// How often, and after which delays, a failed signal is subscribed to again: a count and a ``Backoff``.
public struct RetryPolicy: Sendable, Hashable {
  let count: Int
  let backoff: Backoff

  /// Retries at most `count` times after the first attempt, each after the same delay.
  ///
  /// - Parameters:
  ///   - count: the maximum number of retries; 0 or less means none.
  ///   - delay: the delay before each. Default: none, the retry runs where the failure arrived.
  /// - Returns: the policy.
  public static func times(_ count: Int, delay: Duration = .zero) -> RetryPolicy {
    RetryPolicy(count: count, backoff: .constant(delay))
  }

  /// Retries at most `count` times after the first attempt, each after twice the delay of the one before.
  ///
  /// - Parameters:
  ///   - count: the maximum number of retries; 0 or less means none.
  ///   - base: the delay before the first retry. Default: 0.5 seconds.
  ///   - ceiling: the longest delay. Default: 30 seconds.
  /// - Returns: the policy.
  public static func exponential(
    _ count: Int, base: Duration = .milliseconds(500), ceiling: Duration = .seconds(30)
  ) -> RetryPolicy {
    RetryPolicy(count: count, backoff: .exponential(initialDelay: base, maximumDelay: ceiling))
  }
}
