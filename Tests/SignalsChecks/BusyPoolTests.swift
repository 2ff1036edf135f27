import Dispatch
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// Teardowns of deallocated owners while every thread of the concurrency pool is busy.
@Suite(.serialized) struct BusyPoolTests {
  private final class Screen: Sendable {}

  /// Swift's tasks run on the same threads as the system's concurrent queue.
  @Test func itDoesNotWaitForTheConcurrentQueue() {
    // blocks: all threads of the pool, which is what this is about; nothing else runs in this process.
    let (busy, disposed, source) = (DispatchGroup(), DispatchGroup(), Source<Int>())
    busy.enter()
    for _ in 1...32 { DispatchQueue.global().async { busy.wait() } }
    disposed.enter()
    do {
      let screen = Screen()
      source.signal.on(dispose: { disposed.leave() }).bound(to: screen).subscribe { _ in }
      withExtendedLifetime(screen) {}
    }
    // The pool is busy for as long as this waits.
    let result = disposed.wait(timeout: .now() + .seconds(60))
    busy.leave()
    expectEqual(result, .success)
  }
}
