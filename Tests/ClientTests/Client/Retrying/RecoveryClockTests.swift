import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

@testable import Heliograph

/// The clock of a recovery's window: tokens also expire while a device sleeps.
struct RecoveryClockTests {
  private func recovery(on scheduler: any SignalScheduler) -> Recovery {
    Recovery(scheduler: scheduler) { Signal<Void, NetworkError>.empty }
  }

  @Test(arguments: [DispatchScheduler.global, .immediate, .main])
  func thatOfADispatchSchedulerRunsDuringSleep(_ scheduler: DispatchScheduler) {
    let recovery = recovery(on: scheduler)
    let first = scheduler.continuousNow
    let instants = [recovery.refresh.now, recovery.refresh.end(of: Identity())]
    let last = scheduler.continuousNow
    expect(instants.allSatisfy { first <= $0 && $0 <= last }, "\(instants), \(scheduler.now)")
    expect(scheduler.now < first || last < scheduler.now)
  }

  @Test func theEndOfARefreshHasTheSameClock() {
    let recovery = recovery(on: .immediate)
    let first = recovery.refresh.now
    _ = SignalRecorder(recovery.recovering(Script(.failure(.status(401)), .value(1)).signal))
    expectEqual(recovery.refreshCount, 1)
    let end = recovery.refresh.end(of: Identity())
    expect(first <= end && end <= recovery.refresh.now)
  }

  @Test func aSchedulerOfTheAppIsItsOwnClock() {
    let clock = VirtualScheduler()
    let recovery = recovery(on: clock)
    expectEqual(recovery.refresh.now, clock.now)
    clock.advance(by: .seconds(60))
    expectEqual(recovery.refresh.now, clock.now)
  }
}
