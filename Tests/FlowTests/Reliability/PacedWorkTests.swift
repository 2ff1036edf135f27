#if canImport(Glibc) || canImport(Musl)
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import TestSupport
import Testing

struct PacedWorkTests {
  private let clock = VirtualScheduler()
  private let lines = Log<String>()

  @Test func aBurstIsAnsweredOnce() {
    let work = PacedWork(pause: .milliseconds(20), on: clock) { [lines] in lines.add("work") }
    for _ in 0..<100 { work.request() }
    expectEqual(clock.pendingCount, 1)
    clock.advance(by: .milliseconds(19))
    work.request()
    expect(lines.entries.isEmpty)
    clock.advance(by: .milliseconds(1))
    expectEqual(lines.entries.count, 1)
    clock.advance(by: .seconds(1))
    expectEqual(lines.entries.count, 1)
    work.request()
    clock.advance(by: .milliseconds(20))
    expectEqual(lines.entries.count, 2)
  }

  @Test func aBurstWithoutAnEndIsAnsweredAllTheSame() {
    let work = PacedWork(pause: .milliseconds(20), on: clock) { [lines] in lines.add("work") }
    for _ in 0..<200 {
      work.request()
      clock.advance(by: .milliseconds(1))
    }
    expectEqual(lines.entries.count, 10)
  }

  @Test func whoAsksDuringTheWorkMakesItRunOnceMoreAndAfterwards() {
    let slot = Guarded<PacedWork?>(nil)
    let work = PacedWork(pause: .milliseconds(20), on: clock) { [lines, clock] in
      lines.add("begin")
      if lines.entries.count == 1 {
        for _ in 0..<3 { slot.withLock { $0 }?.request() }
        clock.advance(by: .seconds(1))
      }
      lines.add("end")
    }
    slot.withLock { $0 = work }
    work.request()
    clock.run()
    expectEqual(lines.entries, ["begin", "end", "begin", "end"])
    slot.withLock { $0 = nil }
  }

  @Test func nothingIsDoneAfterTheEnd() {
    let work = PacedWork(pause: .milliseconds(20), on: clock) { [lines] in lines.add("work") }
    work.request()
    work.stop()
    work.request()
    clock.run()
    expect(lines.entries.isEmpty)
  }

  @Test func neverTwiceAtOnceAndTheLastWhoAsksIsHeard() async {
    let (asked, active) = (Count(), Count())
    let (done, overlaps) = (PublishSubject<Int, Never>(), Log<String>())
    let recorder = SignalRecorder(done.signal)
    let work = PacedWork(pause: .zero, on: .global) {
      if active.add(1) > 1 { overlaps.add("two at once") }
      done.send(asked.add(0))
      active.add(-1)
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<2000 {
            asked.add(1)
            work.request()
          }
        }
      }
    }
    await expect(recorder.wait { $0.last?.value == 8000 })
    expect(overlaps.entries.isEmpty)
  }
}

private final class Count: Sendable {
  private let value = Guarded(0)

  @discardableResult
  func add(_ change: Int) -> Int {
    value.withLock { value in
      value += change
      return value
    }
  }
}
#endif
