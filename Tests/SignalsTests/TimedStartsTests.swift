import Foundation
import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// Inner signals of `flatMap(.latest)` behind stages that deliver on a scheduler, while another thread is still sending.
struct TimedStartsTests {
  enum Stage: CaseIterable {
    case delay, debounce, throttle, collect
  }

  private let source = Source<Int>()
  private let clock = VirtualScheduler()
  private let started = Log<Int>()
  private let isSending = Tally()
  private let mayReturn = Tally()
  private let hasReturned = Tally()

  /// The latest values on the scheduler.
  private func timed(_ signal: Numbers, by stage: Stage) -> Numbers {
    switch stage {
    case .delay: signal.delay(.milliseconds(10), on: clock)
    case .debounce: signal.debounce(.milliseconds(10), on: clock)
    case .throttle: signal.throttle(.milliseconds(10), on: clock)
    case .collect: signal.collect(every: .milliseconds(10), on: clock).compactMap(\.last)
    }
  }

  /// 9 is a ready value; each other number is work that does not end.
  private func inner(_ number: Int) -> Numbers {
    if number == 9 { return .just(9) }
    return Signal { [started] _ in
      started.add(number)
      return nil
    }
  }

  /// Blocks the thread that delivers a 2.
  private func block(at number: Int) {
    if number != 2 { return }
    isSending.arrive()
    spin { mayReturn.count > 0 }
  }

  /// Sends a 2 on another thread, advances the time while that thread is still sending, and returns what a closure then
  /// sees.
  private func advance<Result>(whileSending send: @escaping @Sendable () -> Void, _ see: () -> Result) -> Result {
    Thread { [hasReturned] in
      send()
      hasReturned.arrive()
    }.start()
    spin { isSending.count > 0 }
    clock.advance(by: .milliseconds(10))
    let seen = see()
    mayReturn.arrive()
    spin { hasReturned.count > 0 }
    return seen
  }

  @Test(arguments: Stage.allCases, [3, 9])
  func theSchedulerStartsTheInnerSignalThoughTheSourceIsSending(stage: Stage, number: Int) async {
    let numbers = source.signal.on(value: block)
    let recorder = SignalRecorder(timed(numbers, by: stage).flatMap(.latest, inner))
    let (starts, values) = await onThread {
      source.send(1)
      // The timer of `throttle` runs, so the next value waits for it.
      if stage != .throttle { clock.advance(by: .milliseconds(20)) }
      source.send(number)
      return advance(whileSending: { source.send(2) }) { (started.entries, recorder.values) }
    }
    expectEqual(starts, number == 9 ? [1] : [1, number])
    expectEqual(values, number == 9 ? [9] : [])
  }

  @Test func theSchedulerStartsTheInnerSignalThoughAnotherSubscriberIsBusy() async {
    let current = CurrentValue(0)
    let other = current.signal.subscribe(onValue: block)
    let numbers = current.signal.setFailureType(to: Fault.self)
    let recorder = SignalRecorder(timed(numbers, by: .debounce).flatMap(.latest, inner))
    let starts = await onThread {
      current.value = 3
      return advance(whileSending: { current.value = 2 }) { started.entries }
    }
    expectEqual(starts, [3])
    withExtendedLifetime((recorder, other)) {}
  }
}
