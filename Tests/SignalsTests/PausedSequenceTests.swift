import Foundation
import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// Where a sequence that back-pressure has paused continues.
struct PausedSequenceTests {
  private let worker = VirtualScheduler()
  private let consumer = VirtualScheduler()

  /// Whichever of the two operators comes first.
  @Test(arguments: [false, true]) func itContinuesOnTheSchedulerOfItsStart(isStartLast: Bool) {
    let mapped = Tally()
    let work = Numbers.from(0..<100).on(value: { _ in mapped.arrive() })
    let recorder = SignalRecorder(
      isStartLast
        ? work.observe(on: consumer).subscribe(on: worker) : work.subscribe(on: worker).observe(on: consumer))
    worker.advance()
    expectEqual(mapped.count, Pressure.highCount)
    consumer.advance()
    expectEqual(recorder.values, Array(0..<16))
    expectEqual(mapped.count, Pressure.highCount)
    for _ in 0..<10 {
      worker.advance()
      consumer.advance()
    }
    expectEqual(recorder.values, Array(0..<100))
    expect(recorder.isCompleted)
  }

  @Test func theNearestSchedulerCounts() {
    let far = VirtualScheduler()
    let recorder = SignalRecorder(
      Numbers.from(0..<20).subscribe(on: worker).observe(on: consumer).subscribe(on: far).observe(on: consumer))
    far.advance()
    worker.advance()
    consumer.advance()
    expectEqual(recorder.values.count, Pressure.highCount)
    far.advance()
    consumer.advance()
    expectEqual(recorder.values.count, Pressure.highCount)
    worker.advance()
    consumer.advance()
    expectEqual(recorder.values, Array(0..<20))
  }

  /// A start on a scheduler is no buffer: an endless sequence stops with the first value that nobody wants.
  @Test func withoutABufferItDoesNotPause() {
    let recorder = SignalRecorder(Numbers.endless.subscribe(on: worker).take(1_000))
    worker.advance()
    expectEqual(recorder.values, Array(0..<1_000))
  }

  @Test func aDisposalDuringThePauseFreesTheElements() {
    let census = Census()
    let recorder = SignalRecorder(
      Signal<Token, Fault>.from((0..<20).map { census.token($0) }).map(\.number)
        .subscribe(on: worker).observe(on: consumer))
    worker.advance()
    expectEqual(census.alive, 20)
    recorder.dispose()
    worker.advance()
    consumer.advance()
    expectEqual(recorder.events, [])
    expectEqual(census.alive, 0)
  }

  @MainActor @Test func noWorkMovesToTheMainThread() async {
    let (mapped, onMain) = (Tally(), Tally())
    let recorder = SignalRecorder(
      Numbers.from(0..<100).map { number in
        if Thread.isMainThread { onMain.arrive() }
        mapped.arrive()
        return number
      }.subscribe(on: .global).observe(on: .main))
    whileTheMainThreadWaits { spin { mapped.count == Pressure.highCount } }
    await recorder.waitForEnd()
    expectEqual(recorder.values, Array(0..<100))
    expectEqual(onMain.count, 0)
  }
}
