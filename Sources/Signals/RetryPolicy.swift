/// The maximum number of retries of a failed signal, with the ``Backoff`` between them.
public struct RetryPolicy: Sendable, Hashable {
  let count: Int
  let backoff: Backoff

  /// Creates a policy of at most `count` retries with a constant delay.
  ///
  /// - Parameters:
  ///   - count: the maximum number of retries after the first attempt. Values below 1 mean no retries.
  ///   - delay: the delay before each retry. Default: zero; the retry runs on the thread that delivered the failure.
  /// - Returns: the policy.
  public static func times(_ count: Int, delay: Duration = .zero) -> RetryPolicy {
    RetryPolicy(count: count, backoff: .constant(delay))
  }

  /// Creates a policy of at most `count` retries with exponential backoff: each delay is twice the previous one.
  ///
  /// - Parameters:
  ///   - count: the maximum number of retries after the first attempt. Values below 1 mean no retries.
  ///   - base: the delay before the first retry. Default: 0.5 seconds.
  ///   - ceiling: the maximum delay. Default: 30 seconds.
  /// - Returns: the policy.
  public static func exponential(
    _ count: Int, base: Duration = .milliseconds(500), ceiling: Duration = .seconds(30)
  ) -> RetryPolicy {
    RetryPolicy(count: count, backoff: .exponential(initialDelay: base, maximumDelay: ceiling))
  }
}
