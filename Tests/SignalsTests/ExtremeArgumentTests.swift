import HeliographTesting
import Signals
import TestSupport
import Testing

/// Counts below one and durations of any size: none of them traps.
struct ExtremeArgumentTests {
  private typealias Numbers = Signal<Int, Broken>

  private struct Broken: Error {}

  @Test(arguments: [0, -1, .min]) func aCountBelowOneIsNoneOrOne(_ count: Int) {
    let three = Numbers.from(1...3)
    expectEqual(SignalRecorder(three.take(count)).values, [])
    expectEqual(SignalRecorder(three.skip(count)).values, [1, 2, 3])
    expectEqual(SignalRecorder(three.collect(count: count)).values, [[1], [2], [3]])
    let shared = three.share(replay: count)
    expectEqual(SignalRecorder(shared).values, [1, 2, 3])
    expectEqual(SignalRecorder(shared).values, [])
    let merged = Signal<Numbers, Broken>.from([three, three]).flatMap(.merge(maxConcurrent: count)) { $0 }
    expectEqual(SignalRecorder(merged).values, [1, 2, 3, 1, 2, 3])
    let attempts = Guarded(0)
    let failing = Numbers { observer in
      attempts.withLock { $0 += 1 }
      observer.fail(Broken())
      return nil
    }
    expect(SignalRecorder(failing.retry(count)).failure != nil)
    expectEqual(attempts.withLock { $0 }, 1)
  }

  @Test func nothingOfNothingCompletes() {
    let none: [Numbers] = []
    expect(SignalRecorder(Numbers.merge(none)).isCompleted)
    expect(SignalRecorder(Numbers.concat(none)).isCompleted)
  }

  @Test(
    arguments: [
      Duration.zero, .nanoseconds(1), .nanoseconds(-1), .seconds(-1), .seconds(Int64.max), .seconds(Int64.min),
      Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999),
    ])
  func aDurationMayHaveAnySize(_ duration: Duration) {
    let source = Numbers.just(1).concat(.never)
    let timed: [Numbers] = [
      Signal<Void, Broken>.timer(after: duration).map { 1 }, .timer(every: duration), source.delay(duration),
      source.debounce(duration),
      source.throttle(duration), source.timeout(duration, failing: Broken()),
      source.collect(every: duration).map(\.count), source.poll(every: duration, until: { _ in false }),
      Numbers.fail(Broken()).retry(3, .constant(duration)),
    ]
    for signal in timed {
      let recorder = SignalRecorder(signal)
      recorder.dispose()
      expect(recorder.violations.isEmpty)
    }
    let clock = VirtualScheduler()
    let recorders = [
      SignalRecorder(source.delay(duration, on: clock)), SignalRecorder(source.debounce(duration, on: clock)),
      SignalRecorder(source.timeout(duration, failing: Broken(), on: clock)),
    ]
    clock.advance(by: .seconds(1))
    // What is due at once or in the past is delivered, and nothing else.
    let isDue = duration < .seconds(1)
    expectEqual(recorders[0].values, isDue ? [1] : [])
    expectEqual(recorders[1].values, isDue ? [1] : [])
    expectEqual(recorders[2].failure != nil, isDue)
  }
}
