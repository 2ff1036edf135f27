/// The attempts of one step so far, by which the successor of a failed attempt is chosen.
///
/// | failure of | if | then | retries so far | recoveries that have refreshed |
/// |---|---|---|---|---|
/// | an attempt | it lacks a network, and the request waits for one | it is repeated with one | remain | remain |
/// | an attempt | the rules, the budget and the timeout allow a retry | a retry, after a delay | one more; one if the file of a download has grown | remain; none if it has grown |
/// | an attempt | the first recovery that matches has not refreshed within its window | a replay, after its refresh | none | also this one, but none before it |
/// | an attempt | that recovery matches, but the body cannot be sent again, or the server may have processed a request that is not idempotent | its refresh, and then the failure | | |
/// | a refresh | it lacks a network, and the request waits for one | it is repeated with one | none | none |
/// | either | else, or a value was sent | the failure is delivered | | |
struct AttemptPlan: Sendable {
  private(set) var retryCount = 0
  /// The waits of attempts for a network, since the last retry or refresh.
  private var waits = NetworkWaits()
  /// The waits of refreshes for a network, since the last one that succeeded.
  private var refreshWaits = NetworkWaits()
  /// The count of ended refreshes of each recovery when the attempt was built.
  var refreshCounts: [Int] = []
  /// The network status when the attempt was built.
  var status = ReachabilityStatus.unknown
  /// The recoveries whose refresh this request is part of, so that it must not wait for it.
  private let ownRefreshes: [Int]
  /// The recoveries that have refreshed, in the order of their indices.
  private var spentRecoveries: [SpentRecovery] = []

  /// Creates the plan of a first attempt; `ownRefreshes` are the indices of the recoveries that it is part of.
  init(refreshing ownRefreshes: [Int] = []) { self.ownRefreshes = ownRefreshes }

  var retried: AttemptPlan {
    var next = self
    next.retryCount += 1
    next.waits = NetworkWaits()
    return next
  }

  /// Returns the plan after a refresh that has ended at an instant of its recovery's clock.
  func refreshed(by index: Int, at instant: Duration) -> AttemptPlan {
    var next = AttemptPlan(refreshing: ownRefreshes)
    let count = spentRecoveries.first { $0.index == index }?.count ?? 0
    next.spentRecoveries =
      spentRecoveries.filter { $0.index > index } + [SpentRecovery(index: index, instant: instant, count: count + 1)]
    return next
  }

  /// The plan after an attempt after which the file of a download has grown: its retries are counted anew, and so are
  /// its refreshes, because the server has accepted the token.
  var advanced: AttemptPlan {
    var next = self
    next.retryCount = 0
    next.spentRecoveries = []
    return next
  }

  func waits(forRefresh: Bool) -> NetworkWaits { forRefresh ? refreshWaits : waits }

  func waited(_ waits: NetworkWaits, forRefresh: Bool) -> AttemptPlan {
    var next = forRefresh ? AttemptPlan(refreshing: ownRefreshes) : self
    if forRefresh { next.refreshWaits = waits } else { next.waits = waits }
    return next
  }

  /// Returns whether a recovery may refresh for a failure: it has not refreshed within its window, after which a token
  /// may have expired once more, and the request is not part of its refresh.
  ///
  /// One request waits for at most three refreshes of a recovery, whatever its limit, and a download for as many each
  /// time it has advanced.
  func allowsRefresh(by index: Int, at now: Duration, _ limit: (count: Int, window: Duration)) -> Bool {
    if ownRefreshes.contains(index) { return false }
    guard let spent = spentRecoveries.first(where: { $0.index == index }) else { return true }
    return spent.count < min(limit.count, 3) && limit.window > .zero && now - spent.instant >= limit.window
  }
}

/// A recovery that has refreshed: its failure has persisted if it comes again soon.
private struct SpentRecovery {
  let index: Int
  /// The end of the last refresh for the request.
  let instant: Duration
  let count: Int
}
