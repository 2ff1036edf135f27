package import Foundation
package import Signals
import Synchronization

extension Signal where Failure == NetworkError {
  /// Subscribes again when the signal fails, as a request's rules say; passes on the last error when it gives up.
  ///
  /// It must be cold from building on, so that each try is built, signed and stamped anew. Each subscription counts its own
  /// tries; disposing it ends a delay. A retry that could begin only after the deadline is not waited for.
  /// - Parameters:
  ///   - retry: the rules.
  ///   - budget: what all requests of the client may retry. Default: no limit.
  ///   - deadline: when the request must have ended. Default: no limit.
  ///   - scheduler: whose clock times the delays, and where retries begin. Default: `.global`.
  ///   - wallClock: what a `Retry-After` is compared with where the response has no `Date`. Default: the device's clock.
  /// - Returns: a signal that fails when no retry is left.
  package func retrying(
    _ retry: Retry, budget: RetryBudget? = nil, until deadline: Deadline? = nil,
    on scheduler: any SignalScheduler = .global,
    wallClock: @escaping @Sendable () -> Date = { Date() }
  ) -> Signal {
    guard retry.limit > 0 else { return self }
    let tries = Tries(
      source: self, retry: retry, budget: budget, deadline: deadline, scheduler: scheduler, wallClock: wallClock)
    return .deferred {
      budget?.deposit()
      return tries.begin(1)
    }
  }

  /// Continues with another signal when this one fails, knowing whether it has sent a value by then.
  func following(_ handler: @escaping @Sendable (NetworkError, _ hasSent: Bool) -> Signal) -> Signal {
    .deferred {
      let flag = Flag()
      let watched = map { value in
        flag.isSet.store(true, ordering: .releasing)
        return value
      }
      return watched.catch { handler($0, flag.isSet.load(ordering: .acquiring)) }
    }
  }
}

/// Whether something has happened.
private final class Flag: Sendable {
  let isSet = Atomic<Bool>(false)
}

/// The tries of one request.
private struct Tries<Value: Sendable>: Sendable {
  let source: Signal<Value, NetworkError>
  let retry: Retry
  let budget: RetryBudget?
  let deadline: Deadline?
  let scheduler: any SignalScheduler
  let wallClock: @Sendable () -> Date

  /// The try of that number and, when it fails, those after it: each in the place of the one before, not inside it.
  func begin(_ number: Int) -> Signal<Value, NetworkError> {
    source.following { error, hasSent in
      guard !hasSent, let delay = delay(after: number, error) else { return .fail(error) }
      let next = Signal.deferred { begin(number + 1) }
      deadline?.activity = .retryDelay
      return delay > .zero ? Signal<Void, NetworkError>.timer(after: delay, on: scheduler).then(next) : next
    }
  }

  /// How long to wait after a try has failed; `nil` where it was the last.
  private func delay(after number: Int, _ error: NetworkError) -> Duration? {
    guard number <= retry.limit, deadline?.hasPassed != true,
      let delay = retry.delay(before: number, after: error, wallClock: wallClock)
    else { return nil }
    if let deadline, delay >= deadline.remaining { return nil }
    return budget?.withdraw() == false ? nil : delay
  }
}

extension Retry {
  /// The delay before a retry, counted from 1; `nil` if there is to be none.
  package func delay(before retry: Int, after error: NetworkError, wallClock: () -> Date) -> Duration? {
    switch decide?(error, retry) ?? .default {
    case .retry(let delay): max(delay, .zero)
    case .doNotRetry: nil
    case .default: covers(error) ? ruledDelay(before: retry, after: error, wallClock: wallClock) : nil
    }
  }

  /// The delay by backoff and server; `nil` if the server asks for too long a one.
  private func ruledDelay(before retry: Int, after error: NetworkError, wallClock: () -> Date) -> Duration? {
    let delay = backoff.delay(before: retry)
    guard let maximumRetryAfter, let head = error.response?.head,
      let resolved = RetryAfter.delay(in: head, wallClock: wallClock)
    else { return delay }
    return resolved > maximumRetryAfter ? nil : max(delay, resolved)
  }
}
