/// The attempts of one step so far, by which the successor of a failed attempt is chosen.
///
/// | failure of | if | then | retries so far | recoveries that have refreshed |
/// |---|---|---|---|---|
/// | an attempt | it lacks a network, and the request waits for one | it is repeated with one | remain | remain |
/// | an attempt | the rules, the budget and the timeout allow a retry | a retry, after a delay | one more | remain |
/// | an attempt | the first recovery that matches has not refreshed | a replay, after its refresh | none | also this one, but none before it |
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
  /// The recoveries that have refreshed and whose failure has persisted if it comes again.
  private var spentRecoveries: [Int] = []

  /// Creates the plan of a first attempt; `ownRefreshes` are the indices of the recoveries that it is part of.
  init(refreshing ownRefreshes: [Int] = []) { self.ownRefreshes = ownRefreshes }

  var retried: AttemptPlan {
    var next = self
    next.retryCount += 1
    next.waits = NetworkWaits()
    return next
  }

  func refreshed(by index: Int) -> AttemptPlan {
    var next = AttemptPlan(refreshing: ownRefreshes)
    next.spentRecoveries = spentRecoveries.filter { $0 > index } + [index]
    return next
  }

  func waits(forRefresh: Bool) -> NetworkWaits { forRefresh ? refreshWaits : waits }

  func waited(_ waits: NetworkWaits, forRefresh: Bool) -> AttemptPlan {
    var next = forRefresh ? AttemptPlan(refreshing: ownRefreshes) : self
    if forRefresh { next.refreshWaits = waits } else { next.waits = waits }
    return next
  }

  /// Returns whether a recovery may refresh for a failure: it has not refreshed for it before, and the request is not part
  /// of its refresh.
  func allowsRefresh(by index: Int) -> Bool { !ownRefreshes.contains(index) && !spentRecoveries.contains(index) }
}
