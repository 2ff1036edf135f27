#if !canImport(ObjectiveC)
import Dispatch
import HeliographTesting
import Testing

@testable import Signals

/// The timer that looks for deallocated owners.
@Suite struct SweeperTests {
  private final class Screen: Sendable {}

  @Test func itRunsOnlyWhileSomethingIsWatched() {
    let clock = VirtualScheduler()
    let sweeper = Sweeper(clock)
    #expect(clock.pendingCount == 0)
    for _ in 1...2 {
      let screen = Screen()
      let watches = (1...3).map { _ in sweeper.add(WeakOwner(screen), Disposable {}) }
      #expect(clock.pendingCount == 1)
      clock.advance(by: .seconds(1))
      #expect(clock.pendingCount == 1 && sweeper.count(of: screen) == 3)
      for watch in watches { watch.dispose() }
      clock.advance(by: .milliseconds(50))
      #expect(clock.pendingCount == 0 && sweeper.count(of: screen) == 0)
    }
  }

  @Test func itDisposesWithin50MillisecondsAndStops() {
    let (clock, disposed) = (VirtualScheduler(), Tally())
    let sweeper = Sweeper(clock)
    do {
      let screen = Screen()
      for _ in 1...3 { _ = sweeper.add(WeakOwner(screen), Disposable { disposed.arrive() }) }
      clock.advance(by: .milliseconds(500))
      #expect(disposed.count == 0)
    }
    clock.advance(by: .milliseconds(50))
    #expect(disposed.count == 3 && clock.pendingCount == 0)
  }

  /// Swift's tasks run on the same threads as the system's concurrent queue.
  @Test func itDoesNotWaitForTheConcurrentQueue() {
    let (busy, disposed, source) = (DispatchGroup(), DispatchGroup(), Source<Int>())
    busy.enter()
    for _ in 1...32 { DispatchQueue.global().async { busy.wait() } }
    disposed.enter()
    do {
      let screen = Screen()
      source.signal.on(dispose: { disposed.leave() }).bound(to: screen).subscribe { _ in }
      withExtendedLifetime(screen) {}
    }
    let result = disposed.wait(timeout: .now() + .seconds(1))
    busy.leave()
    #expect(result == .success)
  }
}
#endif
