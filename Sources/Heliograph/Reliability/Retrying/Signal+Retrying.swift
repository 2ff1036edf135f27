package import Foundation
package import Signals

extension Signal where Failure == NetworkError {
  /// Subscribes again when the signal fails, by a request's retry rules; passes on the last error.
  ///
  /// The signal must be cold, including the building of the request, so that each attempt is built, signed and
  /// timestamped anew. Each subscription counts its own attempts. Disposing it cancels a delay. If a retry could only
  /// begin after the deadline, the signal fails without waiting for it.
  /// - Parameters:
  ///   - retry: The rules.
  ///   - budget: The retries of all requests of the client. Default: no limit.
  ///   - deadline: The instant at which the request must have ended. Default: no limit.
  ///   - scheduler: The clock of the delays, on which retries begin. Default: `.global`.
  ///   - wallClock: The time to compare a `Retry-After` with if the response has no `Date`. Default: the device's
  ///     clock.
  /// - Returns: A signal that fails when no retry is left.
  package func retrying(
    _ retry: Retry, budget: RetryBudget? = nil, until deadline: Deadline? = nil,
    on scheduler: any SignalScheduler = .global,
    wallClock: @escaping @Sendable () -> Date = { Date() }
  ) -> Signal {
    guard retry.limit > 0 else { return self }
    let attempts = Attempts(
      source: self, retry: retry, budget: budget, deadline: deadline, scheduler: scheduler, wallClock: wallClock)
    return .deferred {
      budget?.deposit()
      return attempts.begin(1)
    }
  }

  /// Continues with another signal when this one fails; the handler also receives whether a value was sent before.
  func following(_ handler: @escaping @Sendable (NetworkError, _ hasSent: Bool) -> Signal) -> Signal {
    .deferred {
      let flag = Once()
      let watched = map { value in
        flag.claim()
        return value
      }
      return watched.catch { handler($0, flag.isClaimed) }
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
  let wallClock: @Sendable () -> Date

  /// Returns the attempt with a number; if it fails, further attempts follow as tail calls.
  func begin(_ number: Int) -> Signal<Value, NetworkError> {
    source.following { error, hasSent in
      guard !hasSent, let delay = delay(after: number, error) else { return .fail(error) }
      let next = Signal.deferred { begin(number + 1) }
      deadline?.activity = .retryDelay
      return delay > .zero ? Signal<Void, NetworkError>.timer(after: delay, on: scheduler).then(next) : next
    }
  }

  /// Returns the delay after a failed attempt; `nil` if it was the last one.
  private func delay(after number: Int, _ error: NetworkError) -> Duration? {
    guard number <= retry.limit, deadline?.hasPassed != true, error.request?.body.isSpent != true,
      let delay = retry.delay(before: number, after: error, wallClock: wallClock)
    else { return nil }
    if let deadline, delay >= deadline.remaining { return nil }
    return budget?.withdraw() == false ? nil : delay
  }
}

extension Retry {
  /// Returns the delay before a retry, counted from 1; `nil` if the request is not retried.
  package func delay(before retry: Int, after error: NetworkError, wallClock: () -> Date) -> Duration? {
    switch decide?(error, retry) ?? .default {
    case .retry(let delay): max(delay, .zero)
    case .doNotRetry: nil
    case .default: covers(error) ? ruledDelay(before: retry, after: error, wallClock: wallClock) : nil
    }
  }

  /// Returns the delay by backoff and server; `nil` if the server requests too long a delay.
  private func ruledDelay(before retry: Int, after error: NetworkError, wallClock: () -> Date) -> Duration? {
    let delay = backoff.delay(before: retry)
    guard let maximumRetryAfter, let head = error.response?.head,
      let resolved = RetryAfter.delay(in: head, wallClock: wallClock)
    else { return delay }
    return resolved > maximumRetryAfter ? nil : max(delay, resolved)
  }
}
