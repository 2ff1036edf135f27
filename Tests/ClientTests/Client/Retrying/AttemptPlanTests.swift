import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// The plan of the next attempt, without threads.
struct AttemptPlanTests {
  private let waits = NetworkWaits().adding(isEndedByChange: false)

  @Test func retriesAndRefreshesAreCountedUntilProgress() {
    let plan = AttemptPlan().retried.retried
    expectEqual(plan.retryCount, 2)
    expectEqual(plan.refreshed(by: 0, at: .zero).retryCount, 0)
    let advanced = plan.refreshed(by: 0, at: .zero).retried.advanced
    expectEqual(advanced.retryCount, 0)
    expect(advanced.allows(0))
    expect(!AttemptPlan(refreshing: [0]).retried.advanced.allows(0))
  }

  @Test func aRecoveryRefreshesOnceAndThoseBeforeItAgain() {
    var plan = AttemptPlan()
    expect((0...2).allSatisfy { plan.allows($0) })
    plan = plan.refreshed(by: 0, at: .zero)
    expectEqual((0...2).map { plan.allows($0) }, [false, true, true])
    plan = plan.refreshed(by: 1, at: .zero)
    expectEqual((0...2).map { plan.allows($0) }, [true, false, true])
    plan = plan.refreshed(by: 0, at: .zero)
    expectEqual((0...2).map { plan.allows($0) }, [false, false, true])
    expectEqual((0...2).map { plan.retried.allows($0) }, [false, false, true])
  }

  @Test(arguments: [(2, 2), (3, 3), (5, 3)]) func aRecoveryRefreshesAgainAfterItsWindowUpToItsLimitAndThreeTimes(
    _ limit: Int, _ refreshCount: Int
  ) {
    var plan = AttemptPlan()
    for count in 0..<refreshCount {
      let now = Duration.seconds(60 * count)
      expect(plan.allowsRefresh(by: 0, at: now, (limit, .seconds(60))))
      plan = plan.refreshed(by: 0, at: now)
      expect(!plan.allowsRefresh(by: 0, at: now + .seconds(59), (limit, .seconds(60))))
    }
    expect(!plan.allowsRefresh(by: 0, at: .seconds(10_000), (limit, .seconds(60))))
  }

  @Test func aRequestOfARefreshNeverWaitsForThatRefresh() {
    let plan = AttemptPlan(refreshing: [1])
    expectEqual((0...1).map { plan.allows($0) }, [true, false])
    expect(!plan.refreshed(by: 0, at: .zero).allows(1))
    expect(!plan.waited(waits, forRefresh: true).allows(1))
  }

  @Test func aWaitOfAnAttemptKeepsItsRetriesAndThatOfARefreshBeginsAnew() {
    let plan = AttemptPlan().refreshed(by: 0, at: .zero).retried
    let waited = plan.waited(waits, forRefresh: false)
    expectEqual([waited.retryCount, waited.waits(forRefresh: false).count], [1, 1])
    expect(!waited.allows(0))
    let anew = plan.waited(waits, forRefresh: true)
    expectEqual([anew.retryCount, anew.waits(forRefresh: true).count], [0, 1])
    expect(anew.allows(0))
  }

  @Test func waitsOfAttemptsAndOfRefreshesAreCountedApart() {
    let plan = AttemptPlan().waited(waits, forRefresh: true).waited(waits, forRefresh: false)
    func counts(_ plan: AttemptPlan) -> [Int] { [true, false].map { plan.waits(forRefresh: $0).count } }
    expectEqual(counts(plan), [1, 1])
    expectEqual(counts(plan.retried), [1, 0])
    expectEqual(counts(plan.refreshed(by: 0, at: .zero)), [0, 0])
  }
}

extension AttemptPlan {
  fileprivate func allows(_ index: Int) -> Bool { allowsRefresh(by: index, at: .zero, (3, .seconds(60))) }
}
