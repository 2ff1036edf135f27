public import Signals

/// A limit for the retries of all requests together, so that they do not add to the load of a failing server.
///
/// A token bucket as in Finagle (`RetryBudget`) and gRPC (A6, "Throttling Retry Attempts"): each first attempt adds
/// ``share`` of a token, and each retry takes one token. Time also refills the bucket up to ``reserveCount``, so that a
/// client with little traffic can retry, too. If `n` requests fail at the same time, at most `reserveCount + share × n`
/// are retried; by default these are 10 and a fifth. Without a token the error is passed on.
public final class RetryBudget: Sendable {
  private struct State {
    /// The balance in millionths of a token, so that five fifths are exactly one; `Int64`, because 32 bits hold too
    /// few.
    var balance: Int64
    var filledAt: Duration
  }

  /// The number of retries that each first attempt adds.
  public let share: Double
  /// Retries granted without earlier traffic; also the initial balance.
  public let reserveCount: Int
  /// The number of reserved retries that are refilled per second.
  public let reservePerSecond: Double
  /// The maximum balance, so that a long time without failures does not allow a storm of retries.
  public let savedCount: Int
  private let scheduler: any SignalScheduler
  private let state: Guarded<State>

  private static let token: Int64 = 1_000_000

  /// Creates a budget; give one to each client.
  ///
  /// - Parameters:
  ///   - share: The number of retries that each first attempt adds, from 0 to 1. Default: 0.2.
  ///   - reserveCount: Retries granted without earlier traffic. Default: 10.
  ///   - reservePerSecond: The number of these that are refilled per second. Default: 1.
  ///   - savedCount: The maximum balance, not less than the reserve. Default: 100.
  ///   - scheduler: The clock of the refill. Default: `.global`.
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
    state = Guarded(State(balance: Int64(self.reserveCount) * RetryBudget.token, filledAt: scheduler.now))
  }

  /// The number of retries that are available now.
  public var availableCount: Int {
    let now = scheduler.now
    return state.withLock { state in
      fill(&state, now)
      return Int(clamping: state.balance / RetryBudget.token)
    }
  }

  /// Adds the share of a first attempt.
  package func deposit() {
    let now = scheduler.now
    state.withLock { state in
      fill(&state, now)
      let deposit = Int64(share * Double(RetryBudget.token))
      state.balance = min(state.balance + deposit, Int64(savedCount) * RetryBudget.token)
    }
  }

  /// Takes a token for a retry; returns whether there was one.
  package func withdraw() -> Bool {
    let now = scheduler.now
    return state.withLock { state in
      fill(&state, now)
      guard state.balance >= RetryBudget.token else { return false }
      state.balance -= RetryBudget.token
      return true
    }
  }

  /// Refills the reserve for the time that has passed.
  private func fill(_ state: inout State, _ now: Duration) {
    // Another thread may have read the clock later and taken the lock earlier.
    guard now > state.filledAt else { return }
    let seconds = min((now - state.filledAt) / .seconds(1), 1_000_000)
    let gain = Int64(min(seconds * reservePerSecond, Double(reserveCount)) * Double(RetryBudget.token))
    let reserve = Int64(reserveCount) * RetryBudget.token
    if state.balance >= reserve {
      state.filledAt = now
    } else if gain > 0 {
      state.balance = min(reserve, state.balance + gain)
      state.filledAt = now
    }
  }
}
