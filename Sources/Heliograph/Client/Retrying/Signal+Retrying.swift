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
    guard let maximumRetryAfter, let resolved = error.response?.head.retryAfter(wallClock: wallClock) else {
      return .retry(retry, limit: limit, after: delay, by: .backoff)
    }
    if resolved > maximumRetryAfter { return .retryAfterTooLong(resolved, maximum: maximumRetryAfter) }
    return .retry(retry, limit: limit, after: max(delay, resolved), by: resolved > delay ? .server : .backoff)
  }
}

extension HTTPResponse {
  /// Returns the delay that the response requests in its `Retry-After` field; `nil` if it requests none.
  ///
  /// RFC 9110 §10.2.3. The field is a number of seconds, or a date in one of the three formats of §5.6.7 or an
  /// unambiguous variant of them; anything else, such as a fraction or a negative number, is ignored. A date is compared
  /// with the response's own `Date` field, so that a wrong device clock does not prolong the delay.
  /// - Parameter wallClock: The clock used if the response has no `Date` field. Default: the device's.
  /// - Returns: The delay; zero if the date has passed.
  package func retryAfter(wallClock: () -> Date = { Date() }) -> Duration? {
    guard let field = headers.values(for: "Retry-After").first else { return nil }
    let text = field.trimmingCharacters(in: .whitespaces)
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // A number that overflows exceeds every limit anyway.
      return .seconds(Int(text) ?? .max)
    }
    guard let end = HTTPDate.parse(text) else { return nil }
    let now = headers.values(for: "Date").first.flatMap { HTTPDate.parse($0) } ?? wallClock()
    return max(.zero, .seconds(end.timeIntervalSince(now)))
  }
}
