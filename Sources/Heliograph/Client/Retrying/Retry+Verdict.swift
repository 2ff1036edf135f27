package import Foundation
import Signals

extension Retry {
  /// Returns the decision about a failed attempt: by the limit, the deadline, the app's closure and the rules, and last
  /// by the budget, so that nothing is withdrawn from it in vain.
  func verdict(
    before retry: Int, after error: NetworkError, until deadline: Deadline?, _ budget: RetryBudget?,
    _ shared: SharedRetry? = nil
  ) -> RetryVerdict {
    if retry > limit { return .limitReached(limit) }
    if deadline?.hasPassed == true { return .timedOut }
    if error.isBodySpent { return .bodySpent }
    let verdict: RetryVerdict =
      switch decide?(error, retry) ?? .default {
      case .retry(let delay?): .retry(retry, limit: limit, after: max(delay, .zero), by: .closure)
      case .doNotRetry: .declined
      case .retry(nil): ruledVerdict(before: retry, after: error, shared)
      case .default where covers(error): ruledVerdict(before: retry, after: error, shared)
      case .default: error.request?.isIdempotent == false && lists(error) ? .notIdempotent : .notCovered
      }
    guard let delay = verdict.delay else { return verdict }
    if let deadline, delay >= deadline.remaining { return .delayBeyondTimeout(delay) }
    guard let budget else { return verdict }
    return shared.map { budget.withdraw(for: $0, after: delay) } ?? budget.withdraw() ? verdict : .budgetSpent
  }

  /// Returns a failure with the refusal of its retry in its reason, so that it is seen without a monitor.
  ///
  /// Not named are the decisions of the caller and the expected ones: that the limit is reached, that the rules do not
  /// list the failure, and that the app's closure has declined.
  func naming(_ refusal: RetryVerdict, in error: NetworkError) -> NetworkError {
    switch refusal {
    case .retry, .delivered, .limitReached, .declined, .notCovered: return error
    case .timedOut, .bodySpent, .notIdempotent: if !lists(error) { return error }
    case .delayBeyondTimeout, .retryAfterTooLong, .budgetSpent: break
    }
    return error.naming(refusal)
  }

  /// Returns the decision by backoff and server.
  private func ruledVerdict(before retry: Int, after error: NetworkError, _ shared: SharedRetry?) -> RetryVerdict {
    let delay = shared?.delay(before: retry, by: backoff) ?? backoff.delay(before: retry)
    guard let maximumRetryAfter, let resolved = error.response?.head.retryAfter() else {
      return .retry(retry, limit: limit, after: delay, by: .backoff)
    }
    if resolved > maximumRetryAfter { return .retryAfterTooLong(resolved, maximum: maximumRetryAfter) }
    return .retry(retry, limit: limit, after: max(delay, resolved), by: resolved > delay ? .server : .backoff)
  }
}

extension NetworkError {
  func naming(_ refusal: RetryVerdict) -> NetworkError {
    let reason = loggedReason
    // The transport may have said so.
    if reason.contains("not retried: ") { return self }
    return withReason(reason.isEmpty ? "\(refusal)" : "\(reason); \(refusal)")
  }
}

extension HTTPResponse {
  /// Returns the delay that the response requests in its `Retry-After` field, zero for a past date; `nil` if none.
  ///
  /// RFC 9110 §10.2.3. The field is a number of seconds, or a date in one of the three formats of §5.6.7 or an
  /// unambiguous variant of them; anything else is ignored. Some servers send a fraction, which is rounded up. A date
  /// is compared with the response's own `Date` field, so that a wrong device clock does not prolong the delay.
  package func retryAfter(wallClock: () -> Date = { Date() }) -> Duration? {
    guard let field = headers.values(for: "Retry-After").first else { return nil }
    let text = field.trimmingCharacters(in: .whitespaces)
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    if parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isDigit) }) {
      let isRounded = parts.count == 2 && parts[1].utf8.contains { $0 != UInt8(ascii: "0") }
      // A number that overflows exceeds every limit anyway.
      return .seconds((Int(parts[0]) ?? .max).adding(isRounded ? 1 : 0))
    }
    guard let end = HTTPDate.parse(text) else { return nil }
    let now = headers.values(for: "Date").first.flatMap { HTTPDate.parse($0) } ?? wallClock()
    return max(.zero, .seconds(end.timeIntervalSince(now)))
  }
}
