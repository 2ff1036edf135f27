public import Signals

/// Limits how many retries all requests together make, so that a server that is down is not hammered as well.
///
/// A token bucket as in Finagle (`RetryBudget`) and gRPC (A6, "Throttling Retry Attempts"): each first try puts in
/// ``share`` of a token, and each retry takes one out. Besides, time fills it up to ``reserveCount``, so that a
/// client that sends little can retry too. Of `n` requests at once that all fail, no more than
/// `reserveCount + share × n` are sent again, for the defaults 10 and a fifth. Where there is no token the error is passed on.
public final class RetryBudget: Sendable {
  private struct State {
    /// In millionths, so that five fifths are one.
    var balance: Int
    var filledAt: Duration
  }

  /// How many retries each first try pays for.
  public let share: Double
  /// How many retries there are for nothing, and how many at the start.
  public let reserveCount: Int
  /// How many of those come back in a second.
  public let reservePerSecond: Double
  /// What is saved up at most: a long time without failures must not pay for a storm.
  public let savedCount: Int
  private let scheduler: any SignalScheduler
  private let state: Guarded<State>

  private static let token = 1_000_000

  /// Makes a budget; give one to each client.
  ///
  /// - Parameters:
  ///   - share: how many retries each first try pays for, from 0 to 1. Default: 0.2.
  ///   - reserveCount: how many retries there are for nothing. Default: 10.
  ///   - reservePerSecond: how many of those come back in a second. Default: 1.
  ///   - savedCount: what is saved up at most, and not less than the reserve. Default: 100.
  ///   - scheduler: whose clock counts. Default: `.global`.
  public init(
    share: Double = 0.2, reserveCount: Int = 10, reservePerSecond: Double = 1, savedCount: Int = 100,
    scheduler: any SignalScheduler = .global
  ) {
    // A million retries are no limit any more; NaN counts as 0.
    self.share = share > 0 ? min(share, 1) : 0
    self.reserveCount = min(max(reserveCount, 0), 1_000_000)
    self.reservePerSecond = reservePerSecond > 0 ? min(reservePerSecond, 1_000_000) : 0
    self.savedCount = min(max(savedCount, self.reserveCount), 1_000_000)
    self.scheduler = scheduler
    state = Guarded(State(balance: self.reserveCount * RetryBudget.token, filledAt: scheduler.now))
  }

  /// How many retries there may be right now.
  public var availableCount: Int {
    let now = scheduler.now
    return state.withLock { state in
      fill(&state, now)
      return state.balance / RetryBudget.token
    }
  }

  /// Notes a first try.
  package func deposit() {
    let now = scheduler.now
    state.withLock { state in
      fill(&state, now)
      let deposit = Int(share * Double(RetryBudget.token))
      state.balance = min(state.balance + deposit, savedCount * RetryBudget.token)
    }
  }

  /// Takes out a retry; returns whether there was one.
  package func withdraw() -> Bool {
    let now = scheduler.now
    return state.withLock { state in
      fill(&state, now)
      guard state.balance >= RetryBudget.token else { return false }
      state.balance -= RetryBudget.token
      return true
    }
  }

  /// Adds what time has brought.
  private func fill(_ state: inout State, _ now: Duration) {
    // Another thread may have read its clock later and come first.
    guard now > state.filledAt else { return }
    let seconds = min((now - state.filledAt) / .seconds(1), 1_000_000)
    let gain = Int(seconds * reservePerSecond * Double(RetryBudget.token))
    let reserve = reserveCount * RetryBudget.token
    if state.balance >= reserve {
      state.filledAt = now
    } else if gain > 0 {
      state.balance = min(reserve, state.balance + gain)
      state.filledAt = now
    }
  }
}
