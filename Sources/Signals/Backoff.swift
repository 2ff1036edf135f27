/// The delays before the retries of a signal or a request.
///
/// `d` is the initial delay, `m` the maximum delay. Retries are counted from 1.
///
/// | backoff | delay before retry `n` | `d` = 0.5 s, `m` = 10 s: retries 1 to 6, in seconds |
/// |---|---|---|
/// | ``none`` | 0 | 0, 0, 0, 0, 0, 0 |
/// | ``constant(_:)`` | `d` | 0.5, 0.5, 0.5, 0.5, 0.5, 0.5 |
/// | ``linear(_:maximumDelay:)`` | `min(d × n, m)` | 0.5, 1, 1.5, 2, 2.5, 3 |
/// | ``exponential(initialDelay:maximumDelay:jitter:)`` | `min(d × 2ⁿ⁻¹, m)` | 0.5, 1, 2, 4, 8, 10 |
///
/// Negative durations count as zero.
public struct Backoff: Sendable, Hashable {
  private enum Growth: Sendable, Hashable {
    case constant
    case linear
    case exponential
  }

  private let growth: Growth
  private let initialDelay: Duration
  private let maximumDelay: Duration
  private let jitter: Double

  private init(_ growth: Growth, _ initialDelay: Duration, _ maximumDelay: Duration, jitter: Double = 0) {
    self.growth = growth
    self.maximumDelay = max(maximumDelay, .zero)
    self.initialDelay = min(max(initialDelay, .zero), self.maximumDelay)
    // NaN counts as 0.
    self.jitter = jitter > 0 ? min(jitter, 1) : 0
  }

  /// A backoff without delays.
  public static let none = Backoff(.constant, .zero, .zero)

  /// Creates a backoff with the same delay before each retry.
  public static func constant(_ delay: Duration) -> Backoff { Backoff(.constant, delay, delay) }

  /// Creates a backoff whose delays grow linearly.
  ///
  /// - Parameters:
  ///   - step: The delay before the first retry, and the increment for each further retry.
  ///   - maximumDelay: The maximum delay. Default: 30 seconds.
  /// - Returns: The backoff.
  public static func linear(_ step: Duration, maximumDelay: Duration = .seconds(30)) -> Backoff {
    Backoff(.linear, step, maximumDelay)
  }

  /// Creates a backoff whose delay doubles with each retry.
  ///
  /// Jitter spreads the retries of clients that failed at the same time. Each delay is drawn uniformly from the range
  /// `(1 - jitter) × delay` to `delay`. A jitter of 1 is "full jitter" (AWS Architecture Blog, "Exponential Backoff And
  /// Jitter").
  /// - Parameters:
  ///   - initialDelay: The delay before the first retry. Default: 0.5 seconds.
  ///   - maximumDelay: The maximum delay. Default: 30 seconds.
  ///   - jitter: The random fraction of each delay, clamped to the range 0 to 1. Default: 0, no jitter.
  /// - Returns: The backoff.
  public static func exponential(
    initialDelay: Duration = .milliseconds(500), maximumDelay: Duration = .seconds(30), jitter: Double = 0
  ) -> Backoff {
    Backoff(.exponential, initialDelay, maximumDelay, jitter: jitter)
  }

  /// Returns the delay before a retry, with jitter from the system's random number generator.
  ///
  /// - Parameter retry: The number of the retry, counted from 1. Numbers below 1 count as 1.
  /// - Returns: The delay, at most the maximum delay. O(1).
  public func delay(before retry: Int) -> Duration {
    var generator = SystemRandomNumberGenerator()
    return delay(before: retry, using: &generator)
  }

  /// Returns the delay before a retry, with jitter from a given random number generator.
  ///
  /// - Parameters:
  ///   - retry: The number of the retry, counted from 1. Numbers below 1 count as 1.
  ///   - generator: The source of randomness for the jitter; unused without jitter.
  /// - Returns: The delay, at most the maximum delay. O(1).
  public func delay(before retry: Int, using generator: inout some RandomNumberGenerator) -> Duration {
    let longest = longestDelay(before: retry)
    guard jitter > 0, longest > .zero else { return longest }
    // Rounding must not exceed the maximum.
    return min(longest, longest * (1 - jitter + jitter * Double.random(in: 0..<1, using: &generator)))
  }

  /// Returns the delay before a retry, counted from 1, without jitter.
  package func longestDelay(before retry: Int) -> Duration {
    let retry = max(retry, 1)
    let (first, longest) = (initialDelay.wholeAttoseconds, maximumDelay.wholeAttoseconds)
    guard first > 0 else { return .zero }
    switch growth {
    case .constant: return initialDelay
    case .linear:
      let (product, isOverflow) = first.multipliedReportingOverflow(by: Int128(retry))
      return isOverflow || product > longest ? maximumDelay : Duration(wholeAttoseconds: product)
    case .exponential:
      // The maximum is shifted right, because shifting the delay left could overflow.
      let shift = min(retry - 1, 127)
      return first > longest >> shift ? maximumDelay : Duration(wholeAttoseconds: first << shift)
    }
  }
}
