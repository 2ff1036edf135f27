public import Signals

/// A limit on retries across all requests, so that retries do not add to the load of a failing server.
///
/// A token bucket as in Finagle (`RetryBudget`) and gRPC (A6, "Throttling Retry Attempts"): each request that may be
/// retried adds ``share`` of a token, and each retry takes one token. A request adds its share once, when a value from
/// the network or a failure that is not the client's own arrives: neither a stored response nor a request that was not
/// sent adds any. Time also refills the bucket up to ``reserveCount``, so that a client with little traffic can retry,
/// too. If the first `n` requests fail at the same time, at most `reserveCount + share × n` are retried; the defaults
/// are 10 and 0.2. Requests that share an exchange (``RequestOptions/isCoalesced``) take one token together for each
/// delay before their retries, because those with the same delay also share the retry. Earlier traffic may have saved up
/// to ``savedCount`` tokens. Without a token, the failure is delivered instead of retried.
public final class RetryBudget: Sendable {
  private struct State {
    /// The balance in millionths of a token, so that five fifths are exactly one token; 32 bits would overflow.
    var balance: Int64
    var refilledAt: Duration
  }

  /// The number of retries that each request adds.
  public let share: Double
  /// Retries granted without earlier traffic; also the initial balance.
  public let reserveCount: Int
  /// The number of reserved retries refilled per second.
  public let reservePerSecond: Double
  /// The maximum balance, so that a long time without failures does not allow a retry storm.
  public let savedCount: Int
  private let scheduler: any SignalScheduler
  private let state: Guarded<State>

  private static let token: Int64 = 1_000_000

  /// Creates a budget; use a separate one for each client.
  ///
  /// - Parameters:
  ///   - share: The number of retries that each request adds, from 0 to 1. Default: 0.2.
  ///   - reserveCount: Retries granted without earlier traffic. Default: 10.
  ///   - reservePerSecond: The number of reserved retries refilled per second. Default: 1.
  ///   - savedCount: The maximum balance, not less than the reserve. Default: 100.
  ///   - scheduler: The clock for the refill. Default: `.global`.
  public init(
    share: Double = 0.2, reserveCount: Int = 10, reservePerSecond: Double = 1, savedCount: Int = 100,
    scheduler: any SignalScheduler = .global
  ) {
    // More than a million retries count as no limit. NaN counts as 0.
    self.share = share > 0 ? min(share, 1) : 0
    self.reserveCount = min(max(reserveCount, 0), 1_000_000)
    self.reservePerSecond = reservePerSecond > 0 ? min(reservePerSecond, 1_000_000) : 0
    self.savedCount = min(max(savedCount, self.reserveCount), 1_000_000)
    self.scheduler = scheduler
    state = Guarded(State(balance: Int64(self.reserveCount) * RetryBudget.token, refilledAt: scheduler.now))
  }

  /// The number of retries that are available now.
  public var availableCount: Int {
    let now = scheduler.now
    return state.withLock { state in
      refill(&state, now)
      return Int(clamping: state.balance / RetryBudget.token)
    }
  }

  /// Adds ``share`` of a token for a request.
  package func deposit() {
    let now = scheduler.now
    state.withLock { state in
      refill(&state, now)
      let deposit = Int64(share * Double(RetryBudget.token))
      state.balance = min(state.balance + deposit, Int64(savedCount) * RetryBudget.token)
    }
  }

  /// Takes a token for a retry; returns `false` if there is none.
  package func withdraw() -> Bool { withdraw(at: scheduler.now) }

  /// Takes a token for a retry that the members of a shared exchange with the same delay have in common; returns `false`
  /// if there is none.
  func withdraw(for shared: SharedRetry, after delay: Duration) -> Bool {
    // Read before the lock is taken, because the clock may be the app's.
    let now = scheduler.now
    return shared.grant(after: delay) { withdraw(at: now) }
  }

  private func withdraw(at now: Duration) -> Bool {
    state.withLock { state in
      refill(&state, now)
      guard state.balance >= RetryBudget.token else { return false }
      state.balance -= RetryBudget.token
      return true
    }
  }

  /// Refills the reserve for the time that has passed.
  private func refill(_ state: inout State, _ now: Duration) {
    // Another thread may have read a later time and taken the lock first.
    guard now > state.refilledAt else { return }
    let seconds = min((now - state.refilledAt) / .seconds(1), 1_000_000)
    let gain = Int64(min(seconds * reservePerSecond, Double(reserveCount)) * Double(RetryBudget.token))
    let reserve = Int64(reserveCount) * RetryBudget.token
    if state.balance >= reserve {
      state.refilledAt = now
    } else if gain > 0 {
      state.balance = min(reserve, state.balance + gain)
      state.refilledAt = now
    }
  }
}
