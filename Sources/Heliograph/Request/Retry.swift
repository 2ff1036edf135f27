import Foundation
import Signals

/// The rules for retries of failed requests: their number, their delays and the failures they apply to.
///
/// The delays come from a `Backoff`. The default is exponential with full jitter, which spreads out clients that failed
/// together: the delay before retry `n`, counted from 1, is random and uniform between 0 and the maximum delay.
///
/// | retry | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |
/// |---|---|---|---|---|---|---|---|---|
/// | maximum delay for the default, s | 0.5 | 1 | 2 | 4 | 8 | 16 | 30 | 30 |
///
/// A longer `Retry-After` from the server takes precedence, without jitter: a server that sends the same one to all
/// clients gets their retries together. Only an idempotent request is retried (``HTTPRequest/isIdempotent``): not a
/// `POST`, unless it has an ``RequestOptions/idempotencyKey`` or is marked as idempotent. A request that has delivered
/// a value, other than the stored one of ``CachePolicy/cacheThenNetwork``, is not retried. A ``decide`` closure can
/// override these rules for each failure.
public struct Retry: Sendable {
  /// The decision of a ``Retry/decide`` closure about a failure.
  public enum Decision: Sendable, Hashable {
    /// Retries the request, whatever its method and failure.
    ///
    /// A negative delay counts as zero. Without a delay, ``Retry/backoff`` and `Retry-After` determine it.
    case retry(after: Duration? = nil)
    /// Delivers the failure.
    case doNotRetry
    /// Applies the other rules, as if there were no closure.
    case `default`
  }

  /// The maximum number of retries after the first attempt; 0 or less means none.
  ///
  /// A download counts them anew whenever its file has grown by 256 KiB. Default: 2.
  public var limit: Int
  /// The delays before retries.
  ///
  /// Default: exponential from 0.5 to 30 seconds, with full jitter.
  public var backoff: Backoff
  /// The statuses after which a request is retried.
  ///
  /// Default: ``defaultStatuses``.
  public var statuses: Set<Int>
  /// The codes after which a request is retried, of any domain but `client`: `.timedOut`, `.status(500)`, `.api(1)`.
  ///
  /// A service's own code matches whatever the status, and a status whatever the code. Default: ``defaultCodes``.
  public var codes: Set<NetworkError.Code>
  /// The maximum accepted `Retry-After`; the failure is delivered if the server asks for more.
  ///
  /// `nil` ignores the header field. Default: 60 seconds.
  public var maximumRetryAfter: Duration?
  /// A closure that decides about each failure before the other rules.
  ///
  /// It receives the failure and the number of the failed attempt, counted from 1; the count restarts when a
  /// ``Recovery`` replays the request, and when a download has advanced. The closure runs on the thread that delivered
  /// the failure. It is not called if no retry is possible: beyond ``limit``, after a value was delivered, when the
  /// total timeout has elapsed, or once a body that can be read only once has been read. Nor is it called for a failure
  /// after which the request waits for a network; see ``NetworkClient/Configuration/waitsForConnectivity``. The retry
  /// budget and the total timeout also limit its decisions. Default: `nil`, the other rules decide.
  public var decide: (@Sendable (_ error: NetworkError, _ attempt: Int) -> Decision)?

  /// The statuses of transient failures: 408, 429, 500, 502, 503 and 504; 520 to 524, by which Cloudflare reports that
  /// a server is unreachable or does not answer; and 529, by which APIs of language models report that they are
  /// overloaded.
  public static let defaultStatuses: Set<Int> = [408, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529]
  /// The codes of transient network failures; an untrusted certificate is not among them.
  public static let defaultCodes: Set<NetworkError.Code> = [
    .timedOut, .cannotFindHost, .cannotConnect, .connectionLost, .secureConnectionFailed,
  ]
  /// No retries.
  public static let never = Retry(limit: 0)

  /// Creates rules for retries.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of retries after the first attempt. Default: 2.
  ///   - backoff: The delays before retries. Default: exponential from 0.5 to 30 seconds, with full jitter.
  ///   - statuses: The statuses after which a request is retried. Default: ``defaultStatuses``.
  ///   - codes: The codes after which a request is retried, of any domain but `client`. Default: ``defaultCodes``.
  ///   - maximumRetryAfter: The maximum accepted `Retry-After`; `nil` ignores it. Default: 60 seconds.
  ///   - decide: Decides about each failure before the other rules. Default: none.
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

  /// Returns whether the rules retry a request after a failure.
  package func covers(_ error: NetworkError) -> Bool { error.request?.isIdempotent == true && lists(error) }

  /// Returns whether the rules list a failure, whatever the request.
  func lists(_ error: NetworkError) -> Bool {
    // The cache's own answer to `only-if-cached` does not change.
    if case .cache = error.response?.source, error.code == .status(504) { return false }
    return error.hasCode(in: statuses, codes)
  }
}

extension Retry: CustomStringConvertible {
  /// The retry limit as text.
  public var description: String { limit <= 0 ? "never" : limit == 1 ? "1 retry" : "\(limit) retries" }
}

/// A key by which a server recognizes the attempts of one request, sent as `Idempotency-Key`.
///
/// The field is defined by the IETF draft `draft-ietf-httpapi-idempotency-key-header`. The server must support it.
public enum IdempotencyKey: Sendable, Hashable {
  /// A new UUID for each subscription; all attempts of the subscription share it.
  case automatic
  /// A custom key, such as an order number, sent unchanged.
  ///
  /// A blank key is rejected with ``NetworkError/Code/invalidHeader`` when the request is built.
  case value(String)

  func makeText() -> String {
    switch self {
    case .automatic: UUID().uuidString
    case .value(let text): text
    }
  }
}

extension IdempotencyKey: ExpressibleByStringInterpolation {
  /// Creates a custom key.
  public init(_ text: String) { self = .value(text) }

  /// Creates a custom key, also with interpolated values: `"order-\(id)"`.
  public init(stringLiteral text: String) { self = .value(text) }
}
