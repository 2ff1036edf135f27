import Signals

/// How often, after which delays and after which failures a request is sent again.
///
/// The delay before retry `n`, counted from 1, is drawn anew each time, evenly from 0 up to `min(base × 2ⁿ⁻¹, ceiling)`:
/// "full jitter", which spreads clients that have failed together (AWS Architecture Blog, "Exponential Backoff And Jitter").
///
/// | retry | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |
/// |---|---|---|---|---|---|---|---|---|
/// | longest delay for the defaults, s | 0.5 | 1 | 2 | 4 | 8 | 16 | 30 | 30 |
///
/// A server's `Retry-After` counts where it is longer. Only a request that may be repeated is sent again
/// (``HTTPRequest/isRepeatable``), so a `POST` is not unless it says so; and never one of which a value has been delivered.
public struct Retry: Sendable {
  /// How many retries there are after the first try; 0 or less means none.
  ///
  /// Default: 2.
  public var limit: Int
  /// The longest delay before the first retry.
  ///
  /// Default: 0.5 seconds.
  public var base: Duration
  /// What no drawn delay exceeds.
  ///
  /// Default: 30 seconds.
  public var ceiling: Duration
  /// The statuses after which it is worth another try.
  ///
  /// Default: ``usualStatuses``.
  public var statuses: Set<Int>
  /// The codes of `network` errors after which it is worth another try.
  ///
  /// Default: ``usualCodes``.
  public var codes: Set<NetworkError.Code>
  /// How long a `Retry-After` may be: after a longer one the error is passed on.
  ///
  /// `nil` means that the field does not count. Default: 60 seconds.
  public var longestRetryAfter: Duration?
  /// Draws a number from 0 up to, and without, 1; called on the thread on which the failure arrived.
  ///
  /// Default: the system's random numbers.
  public var random: @Sendable () -> Double

  /// 408, 429, 500, 502, 503 and 504: what may be over in a moment.
  public static let usualStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]
  /// What goes wrong on the way and may be over in a moment; a certificate that is not trusted does not become so.
  public static let usualCodes: Set<NetworkError.Code> = [
    .timedOut, .cannotFindHost, .cannotConnect, .connectionLost, .secureConnectionFailed,
  ]
  /// No retry at all.
  public static let never = Retry(limit: 0)

  /// Makes rules.
  ///
  /// - Parameters:
  ///   - limit: how many retries there are after the first try. Default: 2.
  ///   - base: the longest delay before the first retry. Default: 0.5 seconds.
  ///   - ceiling: what no drawn delay exceeds. Default: 30 seconds.
  ///   - statuses: the statuses after which it is worth another try. Default: ``usualStatuses``.
  ///   - codes: the codes of `network` errors after which it is worth another try. Default: ``usualCodes``.
  ///   - longestRetryAfter: how long a `Retry-After` may be; `nil`: it does not count. Default: 60 seconds.
  ///   - random: draws a number from 0 up to, and without, 1. Default: the system's random numbers.
  public init(
    limit: Int = 2, base: Duration = .milliseconds(500), ceiling: Duration = .seconds(30),
    statuses: Set<Int> = Retry.usualStatuses, codes: Set<NetworkError.Code> = Retry.usualCodes,
    longestRetryAfter: Duration? = .seconds(60), random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
  ) {
    self.limit = limit
    self.base = base
    self.ceiling = ceiling
    self.statuses = statuses
    self.codes = codes
    self.longestRetryAfter = longestRetryAfter
    self.random = random
  }
}

extension Retry {
  /// Whether a failure is one after which the request may, and is worth to, be sent again.
  package func covers(_ error: NetworkError) -> Bool {
    guard error.request?.isRepeatable == true else { return false }
    return switch error.domain {
    case .network: codes.contains(error.code)
    case .server: statuses.contains(error.code.rawValue)
    case .client, .api, .processing: false
    }
  }

  /// The delays, with full jitter.
  private var backoff: Backoff { .exponential(initialDelay: base, maximumDelay: ceiling, jitter: 1) }

  /// The longest delay that may be drawn before a retry, counted from 1.
  package func longestDelay(before retry: Int) -> Duration { backoff.longestDelay(before: retry) }

  /// Draws the delay before a retry, counted from 1.
  package func drawnDelay(before retry: Int) -> Duration { backoff.delay(before: retry, drawing: random) }
}
