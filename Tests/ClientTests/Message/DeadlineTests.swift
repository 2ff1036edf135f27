import Foundation
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// Stages that enter a deadline.
struct DeadlineTests {
  private final class Stage: Sendable {}

  private let clock = VirtualScheduler()
  private let stage = Stage()

  @Test func aStageThatEntersLateEndsAtOnceUnlessTheTimerWasStopped() {
    let count = Guarded(0)
    let passed = Deadline(after: .seconds(1), on: clock)
    passed.start {}
    clock.advance(by: .seconds(1))
    expect(passed.hasPassed)
    passed.enter(stage) { count.withLock { $0 += 1 } }
    expectEqual(count.withLock { $0 }, 1)
    clock.advance(by: .seconds(60))
    passed.leave(stage)
    passed.stop()
    passed.enter(stage) { count.withLock { $0 += 1 } }
    expectEqual(count.withLock { $0 }, 1)
    let stopped = Deadline(after: .seconds(1), on: clock)
    stopped.start {}
    stopped.stop()
    stopped.enter(stage) { count.withLock { $0 += 1 } }
    clock.advance(by: .seconds(60))
    expectEqual(count.withLock { $0 }, 1)
    expectEqual(clock.pendingCount, 0)
  }

  /// The wait for a response begins when the body has ended.
  @Test("S1-10", arguments: [(nil, .server), (4, .server), (6, .undetermined)] as [(Int?, Attribution.Party)])
  func onlyTheWaitForAResponseIsTheServers(_ bodyEnd: Int?, _ party: Attribution.Party) {
    let deadline = Deadline(after: .seconds(10), on: clock)
    deadline.start {}
    clock.advance(by: .seconds(10))
    var metrics = Metrics(endedAt: .seconds(10))
    metrics.sentAt = .milliseconds(1)
    metrics.bodyEndedAt = bodyEnd.map { .seconds($0) }
    var error = NetworkError(.timedOut, metrics: metrics)
    error.attribution = Attribution(.server, evidence: Evidence(phase: .awaitingResponse))
    expectEqual(deadline.attributed(error).attribution.party, party)
  }
}
