/// The decision whether a failed attempt is retried, with the rule that has decided.
package enum RetryVerdict: Sendable, Hashable {
  package enum Source: String, Sendable {
    case backoff
    case server = "Retry-After"
    case closure = "`Retry.decide`"
  }

  /// It is retried after a delay; the number counts from 1.
  case retry(Int, limit: Int, after: Duration, by: Source)
  /// A value was delivered already.
  case delivered
  case limitReached(Int)
  case timedOut
  /// The total timeout would elapse before the retry.
  case delayBeyondTimeout(Duration)
  /// The body is a stream that cannot be read again.
  case bodySpent
  /// The app's closure has decided against it.
  case declined
  case notIdempotent
  /// The rules have neither the status nor the code of the failure.
  case notCovered
  /// The server asks for a longer delay than the rules accept.
  case retryAfterTooLong(Duration, maximum: Duration)
  case budgetSpent

  var delay: Duration? { if case .retry(_, _, let delay, _) = self { delay } else { nil } }
}

extension RetryVerdict: CustomStringConvertible {
  package var description: String {
    switch self {
    case .retry(let number, let limit, let delay, let source):
      "retry \(number) of \(limit) after \(delay.milliseconds) ms, by \(source.rawValue)"
    case .delivered: "not retried: a value was delivered already"
    case .limitReached(let limit): "not retried: the limit of retries is \(limit)"
    case .timedOut: "not retried: the total timeout has elapsed"
    case .delayBeyondTimeout(let delay):
      "not retried: the total timeout elapses within the delay of \(delay.milliseconds) ms"
    case .bodySpent: "not retried: the body is a stream that cannot be read again"
    case .declined: "not retried: `Retry.decide` has decided so"
    case .notIdempotent: "not retried: the request is not idempotent; set an idempotency key"
    case .notCovered: "not retried: the retry rules do not list this failure"
    case .retryAfterTooLong(let delay, let maximum):
      "not retried: Retry-After asks for \(delay.milliseconds) ms, more than \(maximum.milliseconds) ms"
    case .budgetSpent: "not retried: the retry budget is spent"
    }
  }
}
