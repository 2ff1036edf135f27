import Foundation
import HeliographTesting
import SignalsTestSupport
import TestSupport
import Testing

@testable import Signals

/// Ticks of `debounce`, `throttle` and `collect(every:)` that come while another thread is inside the stage.
struct MissedTickTests {
  /// A scheduler whose pending work runs on another thread while new work without a delay is scheduled for the first
  /// time.
  private final class RacingScheduler: SignalScheduler {
    private let pending = Guarded<(@Sendable () -> Void)?>(nil)
    private let race = Once()

    var now: Duration { .zero }

    func schedule(_ work: @escaping @Sendable () -> Void) { _ = schedule(after: .zero, work) }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
      if delay <= .zero, race.claim() {
        let hasRun = Tally()
        Thread { [self] in
          runPending()
          hasRun.arrive()
        }.start()
        spin { hasRun.count > 0 }
      }
      pending.set(work)
      return Disposable {}
    }

    func runPending() {
      let work = pending.withLock { $0.take() }
      work?()
    }
  }

  /// A scheduler that runs work without a delay before it returns.
  private struct EagerScheduler: SignalScheduler {
    var now: Duration { .zero }

    func schedule(_ work: @escaping @Sendable () -> Void) { work() }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable {
      if delay <= .zero { work() }
      return Disposable {}
    }
  }

  private let source = Source<Int>()

  /// The stage, and the values that it sends for 1 and 2: at once, and at the completion.
  private func stage(
    _ kind: String, on scheduler: some SignalScheduler
  ) -> (Signal<[Int], Fault>, early: [[Int]], late: [Int]) {
    switch kind {
    case "debounce": (source.signal.debounce(.milliseconds(10), on: scheduler).map { [$0] }, [], [2])
    case "throttle": (source.signal.throttle(.milliseconds(10), on: scheduler).map { [$0] }, [[1]], [2])
    default: (source.signal.collect(every: .milliseconds(10), on: scheduler), [], [1, 2])
    }
  }

  @Test(arguments: ["debounce", "throttle", "collect"])
  func aTickDuringTheCompletionDeliversNothingOnTheCompletingThread(kind: String) async {
    let scheduler = RacingScheduler()
    let (signal, early, late) = stage(kind, on: scheduler)
    let recorder = SignalRecorder(signal)
    await onThread { [source] in
      source.send(1)
      source.send(2)
      source.complete()
    }
    expectEqual(recorder.events, early.map { .value($0) })
    scheduler.runPending()
    expectEqual(recorder.events, early.map { .value($0) } + [.value(late), .completed])
  }

  @Test(arguments: ["debounce", "throttle", "collect"])
  func aSchedulerThatRunsWorkAtOnceDeliversTheLastValueAtTheCompletion(kind: String) {
    let (signal, early, late) = stage(kind, on: EagerScheduler())
    let recorder = SignalRecorder(signal)
    source.send(1)
    source.send(2)
    source.complete()
    expectEqual(recorder.events, early.map { .value($0) } + [.value(late), .completed])
  }
}
