import HeliographTesting
import Signals
import SignalsTestSupport
import TestSupport
import Testing

/// `share` and `replayLazily`.
struct SharingTests {
  private let source = Source<Int>()

  /// The end comes with the last value, so that the subscriber that leaves with the value is not before the end.
  @Test func aSubscriberThatLeavesWithTheLastValueLeavesATerminatedSource() async throws {
    let shared = Signal<Int, Fault>.deferred { [source] in
      Signal { observer in
        _ = source.signal.subscribe { _ in }
        observer.complete(with: 1)
        return nil
      }
    }
    let replayed = shared.replayLazily()
    for _ in 1...3 {
      let value = try await replayed.first()
      expectEqual(value, 1)
    }
    expectEqual(source.subscriptionCount, 1)
    let multicast = source.signal.share()
    let (first, second) = (SignalRecorder(multicast.take(1)), SignalRecorder(multicast))
    source.complete(with: 2)
    let late = SignalRecorder(multicast)
    expectEqual(first.values, [2])
    expectEqual(second.values, [2])
    expect(second.isCompleted)
    expectEqual(late.values, [])
    expect(late.isCompleted)
    expectEqual(source.subscriptionCount, 2)
  }
}
