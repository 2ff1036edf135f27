import HeliographTestSupport
import TestSupport
import Testing

@testable import Heliograph

/// The plan of the next attempt, without threads.
struct AttemptPlanTests {
  private let waits = NetworkWaits().adding(isEndedByChange: false)

  @Test func retriesAreCountedUntilARefresh() {
    let plan = AttemptPlan().retried.retried
    expectEqual(plan.retryCount, 2)
    expectEqual(plan.refreshed(by: 0).retryCount, 0)
  }

  @Test func aRecoveryRefreshesOnceAndThoseBeforeItAgain() {
    var plan = AttemptPlan()
    expect((0...2).allSatisfy { plan.allowsRefresh(by: $0) })
    plan = plan.refreshed(by: 0)
    expectEqual((0...2).map { plan.allowsRefresh(by: $0) }, [false, true, true])
    plan = plan.refreshed(by: 1)
    expectEqual((0...2).map { plan.allowsRefresh(by: $0) }, [true, false, true])
    plan = plan.refreshed(by: 0)
    expectEqual((0...2).map { plan.allowsRefresh(by: $0) }, [false, false, true])
    expectEqual((0...2).map { plan.retried.allowsRefresh(by: $0) }, [false, false, true])
  }

  @Test func aRequestOfARefreshNeverWaitsForThatRefresh() {
    let plan = AttemptPlan(refreshing: [1])
    expectEqual((0...1).map { plan.allowsRefresh(by: $0) }, [true, false])
    expect(!plan.refreshed(by: 0).allowsRefresh(by: 1))
    expect(!plan.waited(waits, forRefresh: true).allowsRefresh(by: 1))
  }

  @Test func aWaitOfAnAttemptKeepsItsRetriesAndThatOfARefreshBeginsAnew() {
    let plan = AttemptPlan().refreshed(by: 0).retried
    let waited = plan.waited(waits, forRefresh: false)
    expectEqual([waited.retryCount, waited.waits.count], [1, 1])
    expect(!waited.allowsRefresh(by: 0))
    let anew = plan.waited(waits, forRefresh: true)
    expectEqual([anew.retryCount, anew.waits.count], [0, 1])
    expect(anew.allowsRefresh(by: 0))
  }

  @Test func waitsAreCountedUntilARetryOrARefresh() {
    let plan = AttemptPlan().waited(waits, forRefresh: false)
    expectEqual([plan.retried.waits.count, plan.refreshed(by: 0).waits.count], [0, 0])
  }
}
