import Signals

/// Rules for retries by their number, with the names of the signals' `RetryPolicy`.
extension Retry {
  /// Returns rules of at most `limit` retries whose delay doubles; `.exponential(3)` is the same as `Retry(limit: 3)`.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of retries after the first attempt.
  ///   - initialDelay: the maximum delay before the first retry. Default: 0.5 seconds.
  ///   - maximumDelay: the maximum delay. Default: 30 seconds.
  ///   - jitter: the random part of each delay, from 0 to 1. Default: 1, full jitter.
  /// - Returns: the rules.
  public static func exponential(
    _ limit: Int, initialDelay: Duration = .milliseconds(500), maximumDelay: Duration = .seconds(30),
    jitter: Double = 1
  ) -> Retry {
    Retry(
      limit: limit, backoff: .exponential(initialDelay: initialDelay, maximumDelay: maximumDelay, jitter: jitter))
  }

  /// Returns rules of at most `limit` retries with the same delay before each.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of retries after the first attempt.
  ///   - delay: the delay before each retry. Default: none.
  /// - Returns: the rules.
  public static func times(_ limit: Int, delay: Duration = .zero) -> Retry {
    Retry(limit: limit, backoff: .constant(delay))
  }
}
