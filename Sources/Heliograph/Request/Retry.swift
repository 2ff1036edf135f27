import Signals

/// The rules by which failed requests are retried: how often, after which delays and after which failures.
///
/// Delays are those of a `Backoff`. The default is exponential with full jitter, which spreads clients that have failed
/// together: the delay before retry `n`, counted from 1, is drawn anew each time, evenly from 0 to the longest delay.
///
/// | retry | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |
/// |---|---|---|---|---|---|---|---|---|
/// | longest delay for the default, s | 0.5 | 1 | 2 | 4 | 8 | 16 | 30 | 30 |
///
/// A server's `Retry-After` counts where it is longer. Only a request that may be repeated is retried
/// (``HTTPRequest/isIdempotent``): not a `POST`, unless it has an ``RequestOptions/idempotencyKey`` or says so. A request of
/// which a value was delivered is not retried. A ``decide`` closure may say otherwise for each failure.
public struct Retry: Sendable {
  /// What a ``Retry/decide`` closure decides about a failure.
  public enum Decision: Sendable, Hashable {
    /// The request is retried after a delay, whatever its method and the failure; a negative delay counts as zero.
    case retry(after: Duration)
    /// The failure is passed on.
    case doNotRetry
    /// The other rules decide, as without the closure.
    case `default`
  }

  /// The maximum number of retries after the first attempt; 0 or less means none.
  ///
  /// Default: 2.
  public var limit: Int
  /// The delays before retries.
  ///
  /// Default: exponential from 0.5 to 30 seconds, with full jitter.
  public var backoff: Backoff
  /// The statuses after which a request is retried.
  ///
  /// Default: ``defaultStatuses``.
  public var statuses: Set<Int>
  /// The codes of `network` errors after which a request is retried.
  ///
  /// Default: ``defaultCodes``.
  public var codes: Set<NetworkError.Code>
  /// The maximum `Retry-After`: after a longer one the failure is passed on.
  ///
  /// `nil` means that the field does not count. Default: 60 seconds.
  public var maximumRetryAfter: Duration?
  /// Decides about each failure before the other rules do.
  ///
  /// It gets the failure and the number of the attempt that failed, counted from 1 (anew when a ``Recovery`` replays the
  /// request). It runs on the thread where the failure arrived, and not for one that cannot be retried: beyond ``limit``,
  /// after a value was delivered, or when the total time-out has passed. The budget and the total time-out also limit what
  /// it decides. Default: `nil`, the other rules decide.
  public var decide: (@Sendable (_ error: NetworkError, _ attempt: Int) -> Decision)?

  /// 408, 429, 500, 502, 503 and 504: what may be over in a moment.
  public static let defaultStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]
  /// What goes wrong on the way and may be over in a moment; a certificate that is not trusted does not become so.
  public static let defaultCodes: Set<NetworkError.Code> = [
    .timedOut, .cannotFindHost, .cannotConnect, .connectionLost, .secureConnectionFailed,
  ]
  /// No retry at all.
  public static let never = Retry(limit: 0)

  /// Makes rules.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of retries after the first attempt. Default: 2.
  ///   - backoff: the delays before retries. Default: exponential from 0.5 to 30 seconds, with full jitter.
  ///   - statuses: the statuses after which a request is retried. Default: ``defaultStatuses``.
  ///   - codes: the codes of `network` errors after which a request is retried. Default: ``defaultCodes``.
  ///   - maximumRetryAfter: the maximum `Retry-After`; `nil`: it does not count. Default: 60 seconds.
  ///   - decide: decides about each failure before the other rules do. Default: they decide.
  public init(
    limit: Int = 2, backoff: Backoff = .exponential(jitter: 1), statuses: Set<Int> = Retry.defaultStatuses,
    codes: Set<NetworkError.Code> = Retry.defaultCodes, maximumRetryAfter: Duration? = .seconds(60),
    decide: (@Sendable (_ error: NetworkError, _ attempt: Int) -> Decision)? = nil
  ) {
    self.limit = limit
    self.backoff = backoff
    self.statuses = statuses
    self.codes = codes
    self.maximumRetryAfter = maximumRetryAfter
    self.decide = decide
  }
}

extension Retry {
  /// Whether the rules retry a request after a failure.
  package func covers(_ error: NetworkError) -> Bool {
    guard error.request?.isIdempotent == true else { return false }
    return switch error.domain {
    case .network: codes.contains(error.code)
    case .server: statuses.contains(error.code.rawValue)
    case .client, .api, .processing: false
    }
  }
}
