import Dispatch
import HeliographTesting
import SignalsTestSupport
import TestSupport
import Testing

@testable import Signals

/// The timer that looks for deallocated owners.
struct SweeperTests {
  private final class Screen: Sendable {}

  @Test("T11") func itRunsOnlyWhileSomethingIsWatched() {
    let clock = VirtualScheduler()
    let sweeper = Sweeper(clock)
    expectEqual(clock.pendingCount, 0)
    for _ in 1...2 {
      let screen = Screen()
      let watches = (1...3).map { _ in sweeper.add(WeakOwner(screen), Disposable {}) }
      expectEqual(clock.pendingCount, 1)
      clock.advance(by: .seconds(1))
      expectEqual(clock.pendingCount, 1)
      expectEqual(sweeper.watchCount(of: screen), 3)
      for watch in watches { watch.dispose() }
      clock.advance(by: .milliseconds(50))
      expectEqual(clock.pendingCount, 0)
      expectEqual(sweeper.watchCount(of: screen), 0)
    }
  }

  @Test("S0-32 T11") func itDisposesWithin50MillisecondsAndStops() {
    let (clock, disposed) = (VirtualScheduler(), Tally())
    let sweeper = Sweeper(clock)
    do {
      let screen = Screen()
      for _ in 1...3 { _ = sweeper.add(WeakOwner(screen), Disposable { disposed.arrive() }) }
      clock.advance(by: .milliseconds(500))
      expectEqual(disposed.count, 0)
    }
    clock.advance(by: .milliseconds(50))
    expectEqual(disposed.count, 3)
    expectEqual(clock.pendingCount, 0)
  }

  @Test func theHandleOfAnOwnerThatIsGoneIsDisposedAtOnce() {
    let owner = { WeakOwner(Screen()) }()
    let handle = Disposable()
    expectNil(owner.watch(handle))
    expect(handle.isDisposed)
  }

  @Test func itDisposesTheNewestBindingsFirst() {
    let (clock, log) = (VirtualScheduler(), Log<Int>())
    let sweeper = Sweeper(clock)
    do {
      let screen = Screen()
      for number in 0..<20 { _ = sweeper.add(WeakOwner(screen), Disposable { log.add(number) }) }
    }
    clock.advance(by: .milliseconds(50))
    expectEqual(log.entries, (0..<20).reversed())
  }
}
