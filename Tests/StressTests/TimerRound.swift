import Dispatch
import Foundation
import HeliographTesting
import Signals
import Synchronization

/// A virtual clock that yields before `schedule(after:)` returns, so that another thread often runs the work before.
private struct RacingClock: SignalScheduler {
  let clock = VirtualScheduler()

  var now: Duration { clock.now }

  func schedule(_ work: @escaping @Sendable () -> Void) { clock.schedule(work) }

  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
    let handle = clock.schedule(after: delay, work)
    sched_yield()
    return handle
  }
}

/// A repeating timer whose clock two threads move, like a concurrent scheduler, while the third one disposes it.
final class VirtualTimerRound: Round {
  enum Interference: CaseIterable {
    case nothing
    case dispose
    case disposeTwice
    case subscribe
    case subscribeAndDispose
  }

  private static let interval = Duration.milliseconds(1)

  private let probe: Probe
  private let clock = RacingClock()
  private let interference: Interference
  private let steps: Int
  private let handle: Guarded<Disposable?> = Guarded(nil)

  init(_ name: String, _ random: inout SplitMix, _ log: Log) {
    (interference, steps) = (random.pick(), 1 + random.below(4))
    probe = Probe("\(name) virtual (\(interference), \(steps) steps)", log)
    if interference != .subscribe && interference != .subscribeAndDispose { subscribe() }
  }

  private func subscribe() {
    let signal = Signal<Int, Oops>.timer(every: VirtualTimerRound.interval, on: clock)
    let handle = signal.subscribe { [probe] in probe.take($0) }
    self.handle.withLock { $0 = handle }
  }

  private func dispose() { handle.withLock { $0 }?.dispose() }

  func run(_ part: Int) {
    switch (part, interference) {
    case (0, _): for _ in 0..<steps { clock.clock.advance(by: VirtualTimerRound.interval) }
    // A long step, so that several ticks are late.
    case (1, _): clock.clock.advance(by: VirtualTimerRound.interval * 3)
    case (_, .dispose): dispose()
    case (_, .disposeTwice): for _ in 0..<2 { dispose() }
    case (_, .subscribe): subscribe()
    case (_, .subscribeAndDispose):
      subscribe()
      dispose()
    default: break
    }
  }

  func check() {
    if interference == .nothing || interference == .subscribe {
      let count = probe.valueCount
      for _ in 0..<2 { clock.clock.advance(by: VirtualTimerRound.interval) }
      probe.check(
        probe.valueCount > count, "stopped by itself after \(count) ticks, \(clock.clock.pendingCount) timers left")
    }
    dispose()
    let count = probe.valueCount
    probe.check(clock.clock.pendingCount == 0, "\(clock.clock.pendingCount) timers are left after the disposal")
    for _ in 0..<2 { clock.clock.advance(by: VirtualTimerRound.interval) }
    probe.check(probe.valueCount == count, "ticks after the disposal")
    probe.check(probe.terminalCount == 0, "the timer ended")
  }
}

/// A repeating timer on a dispatch queue.
final class TimerRound: Round {
  private static let serial = DispatchQueue(label: "timer")

  private let probe: Probe
  private let isSerial: Bool
  private let isEarly: Bool
  private let isStopped = Atomic<Bool>(false)
  private let handle: Guarded<Disposable?> = Guarded(nil)

  init(_ name: String, _ random: inout SplitMix, _ log: Log) {
    (isSerial, isEarly) = (random.oneIn(2), random.oneIn(2))
    probe = Probe("\(name) \(isSerial ? "serial" : "concurrent")\(isEarly ? ", disposed early" : "")", log)
    if !isEarly { subscribe() }
  }

  private func subscribe() {
    let queue = isSerial ? TimerRound.serial : DispatchQueue.global()
    let signal = Signal<Int, Oops>.timer(every: .milliseconds(1), on: DispatchScheduler(queue))
    let handle = signal.subscribe { [self] event in
      probe.check(!isStopped.load(ordering: .acquiring), "a tick after the disposal")
      probe.take(event)
    }
    self.handle.withLock { $0 = handle }
  }

  func run(_ part: Int) {
    guard isEarly else { return }
    if part == 0 { subscribe() } else { handle.withLock { $0 }?.dispose() }
  }

  func check() {
    if !isEarly { probe.eventually(probe.valueCount >= 2, "the timer stopped by itself") }
    handle.withLock { $0 }?.dispose()
    // Behind a tick that was in flight.
    guard isSerial else { return }
    TimerRound.serial.sync {}
    isStopped.store(true, ordering: .releasing)
  }
}
