import Foundation
import Heliograph
import HeliographTestSupport
import HeliographTesting
import Signals
import Synchronization
import TestSupport
import Testing

/// Lanes used from many threads.
struct LaneRaceTests {
  private static let rounds = 500

  /// Returns a signal that sends its value at once, from another thread, or never.
  private static func signal(_ index: Int, _ token: Token) -> Signal<Int, Never> {
    let value = Signal<Int, Never>.just(index).on(value: { _ in withExtendedLifetime(token) {} })
    switch index % 4 {
    case 0: return value
    case 3: return Signal { observer in Disposable { withExtendedLifetime((observer, token)) {} } }
    default: return value.subscribe(on: .global)
    }
  }

  @Test(
    arguments: [
      Lane.Policy.latestWins(), .latestWins(debounce: .microseconds(50)), .exclusive(), .exclusive(.join), .serial,
      .limit(3),
    ])
  func nothingIsLostDoubledOrLeft(_ policy: Lane.Policy) async throws {
    let (census, running) = (Census(), RunningCount())
    let ends = Atomic<Int>(0)
    let doubled = Atomic<Int>(0)
    do {
      let lane = Lane(policy)
      await together(8) { thread in
        for round in 0..<LaneRaceTests.rounds {
          let index = round &* 7 &+ thread
          let token = census.token()
          let endCount = Once()
          let signal = running.counting(LaneRaceTests.signal(index, token))
          let handle = lane.enqueue(signal).subscribe { event in
            withExtendedLifetime(token) {}
            guard event.isTerminal else { return }
            if endCount.claim() {
              ends.add(1, ordering: .relaxed)
            } else {
              doubled.add(1, ordering: .relaxed)
            }
          }
          // One that never ends must be disposed, or a serial lane waits for it.
          if index % 4 == 3 || index % 5 == 0 {
            handle.dispose()
          } else if policy == .exclusive(.join) {
            // It may have joined one that never ends.
            handle.dispose()
          }
        }
      }
      // The lane still works, and what is still running ends.
      let last = SignalRecorder(lane.enqueue(Signal<Int, Never>.just(-1)))
      await last.waitForEnd()
      expect(last.isCompleted)
    }
    await until { census.alive == 0 && running.value == 0 }
    expectEqual(census.alive, 0)
    expectEqual(running.value, 0)
    expectEqual(doubled.load(ordering: .relaxed), 0)
    if policy != .exclusive(.join) { expect(ends.load(ordering: .relaxed) > 0) }
    switch policy {
    case .exclusive, .serial: expectEqual(running.peak, 1)
    case .limit(let count): expect(running.peak <= count)
    case .latestWins: break
    }
  }
}
