package import Foundation
package import Signals

extension Signal where Failure == NetworkError {
  /// Subscribes again when the signal fails, by a request's retry rules; delivers the last failure.
  ///
  /// The signal must be cold, including the building of the request, so that each attempt is built, signed and
  /// timestamped anew. Each subscription counts its own attempts. Disposing it cancels a delay. If a retry could only
  /// begin after the deadline, the signal fails without waiting for it.
  /// - Parameters:
  ///   - retry: The rules.
  ///   - budget: The client's limit for retries of all requests. Default: none.
  ///   - deadline: The instant at which the request must have ended. Default: no limit.
  ///   - scheduler: The scheduler of the delays, on which retries begin. Default: `.global`.
  ///   - report: Receives the decision about each failure. Default: none.
  ///   - wallClock: The clock for a `Retry-After` date if the response has no `Date` field. Default: the device's.
  /// - Returns: A signal that fails when no retry is left.
  package func retrying(
    _ retry: Retry, budget: RetryBudget? = nil, until deadline: Deadline? = nil,
    on scheduler: any SignalScheduler = .global, reporting report: (@Sendable (RetryVerdict) -> Void)? = nil,
    wallClock: @escaping @Sendable () -> Date = { Date() }
  ) -> Signal {
    guard retry.limit > 0 else { return self }
    let attempts = Attempts(
      source: self, retry: retry, budget: budget, deadline: deadline, scheduler: scheduler, report: report,
      wallClock: wallClock)
    return attempts.begin(1)
  }

  /// Continues with another signal when this one fails; the handler also receives whether a value was sent before.
  func following(_ handler: @escaping @Sendable (NetworkError, _ hasSent: Bool) -> Signal) -> Signal {
    .deferred {
      let hasSent = Once()
      let tracked = map { value in
        hasSent.claim()
        return value
      }
      return tracked.catch { handler($0, hasSent.isClaimed) }
    }
  }
}

/// The attempts of one request.
private struct Attempts<Value: Sendable>: Sendable {
  let source: Signal<Value, NetworkError>
  let retry: Retry
  let budget: RetryBudget?
  let deadline: Deadline?
  let scheduler: any SignalScheduler
  let report: (@Sendable (RetryVerdict) -> Void)?
  let wallClock: @Sendable () -> Date

  /// Returns the attempt with a number; if it fails, further attempts follow as tail calls.
  func begin(_ number: Int) -> Signal<Value, NetworkError> {
    source.following { error, hasSent in
      let decision = hasSent ? .delivered : verdict(after: number, error)
      report?(decision)
      guard let delay = decision.delay else { return .fail(error) }
      let next = Signal.deferred { begin(number + 1) }
      deadline?.activity = .retryDelay
      return delay > .zero ? Signal<Void, NetworkError>.timer(after: delay, on: scheduler).then(next) : next
    }
  }

  /// Returns the decision about a failed attempt.
  private func verdict(after number: Int, _ error: NetworkError) -> RetryVerdict {
    if number > retry.limit { return .limitReached(retry.limit) }
    if deadline?.hasPassed == true { return .timedOut }
    if error.isBodySpent { return .bodySpent }
    let verdict = retry.verdict(before: number, after: error, wallClock: wallClock)
    guard let delay = verdict.delay else { return verdict }
    if let deadline, delay >= deadline.remaining { return .delayBeyondTimeout(delay) }
    return budget?.withdraw() == false ? .budgetSpent : verdict
  }
}

extension Retry {
  /// Returns the decision of the rules about a retry, counted from 1.
  fileprivate func verdict(before retry: Int, after error: NetworkError, wallClock: () -> Date) -> RetryVerdict {
    switch decide?(error, retry) ?? .default {
    case .retry(let delay): .retry(retry, limit: limit, after: max(delay, .zero), by: .closure)
    case .doNotRetry: .declined
    case .default where covers(error): ruledVerdict(before: retry, after: error, wallClock: wallClock)
    case .default: error.request?.isIdempotent == false ? .notIdempotent : .notCovered
    }
  }

  /// Returns the decision by backoff and server.
  private func ruledVerdict(before retry: Int, after error: NetworkError, wallClock: () -> Date) -> RetryVerdict {
    let delay = backoff.delay(before: retry)
    guard let maximumRetryAfter, let head = error.response?.head,
      let resolved = RetryAfter.delay(in: head, wallClock: wallClock)
    else { return .retry(retry, limit: limit, after: delay, by: .backoff) }
    if resolved > maximumRetryAfter { return .retryAfterTooLong(resolved, maximum: maximumRetryAfter) }
    return .retry(retry, limit: limit, after: max(delay, resolved), by: resolved > delay ? .server : .backoff)
  }
}

/// The value of a `Retry-After` field: the delay requested by a server.
///
/// RFC 9110 §10.2.3.
package enum RetryAfter: Sendable, Hashable {
  /// A delay, counted from the response.
  case delay(Duration)
  /// The end of the delay.
  case date(Date)

  /// Parses the value of the field.
  ///
  /// - Parameter text: A number of seconds, or a date in one of the three formats of RFC 9110 §5.6.7 or an unambiguous
  ///   variant of them. The result is `nil` for anything else, such as a fraction or a negative number.
  package init?(_ text: String) {
    let text = text.trimmingCharacters(in: .whitespaces)
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // A number that overflows exceeds every limit anyway.
      self = .delay(.seconds(Int(text) ?? .max))
    } else if let date = HTTPDate.parse(text) {
      self = .date(date)
    } else {
      return nil
    }
  }

  /// Returns the delay from an instant on; zero if the date has passed.
  ///
  /// - Parameter now: The instant, by the clock to which the date refers.
  /// - Returns: The delay.
  package func delay(from now: Date) -> Duration {
    switch self {
    case .delay(let delay): delay
    case .date(let date): max(.zero, .seconds(date.timeIntervalSince(now)))
    }
  }

  /// Returns the delay that a response requests; `nil` if it requests none.
  ///
  /// A date is compared with the response's own `Date` field, so that a wrong device clock does not prolong the delay.
  /// - Parameters:
  ///   - head: The head of the response.
  ///   - wallClock: The clock used if the response has no `Date` field. Default: the device's.
  /// - Returns: The delay.
  package static func delay(in head: HTTPResponse, wallClock: () -> Date = { Date() }) -> Duration? {
    guard let field = head.headers.values(for: "Retry-After").first, let resolved = RetryAfter(field) else {
      return nil
    }
    guard case .date = resolved else { return resolved.delay(from: .distantPast) }
    return resolved.delay(from: head.headers.values(for: "Date").first.flatMap { HTTPDate.parse($0) } ?? wallClock())
  }
}
