import Foundation
import Signals
import Synchronization
import TestSupport
import Testing

@testable import Heliograph

@Suite struct ProcessingQueueTests {
  /// A scheduler whose turns a test runs.
  private final class HeldScheduler: SignalScheduler {
    private let turns = Mutex<[@Sendable () -> Void]>([])
    var turnCount: Int { turns.withLock { $0.count } }
    var now: Duration { .zero }

    func schedule(_ work: @escaping @Sendable () -> Void) { turns.withLock { $0.append(work) } }
    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> Disposable { Disposable() }

    func runNext() {
      let turn = turns.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      turn?()
    }
  }

  private let held = HeldScheduler()
  private let journal = Log<Int>()

  @Test func workThatComesTogetherIsOneTurn() {
    let queue = ProcessingQueue(held)
    for number in 1...3 { queue.schedule { [journal] in journal.add(number) } }
    #expect(held.turnCount == 1)
    held.runNext()
    #expect(journal.entries == [1, 2, 3])
    // A further turn was scheduled for those behind the first, and finds nothing.
    held.runNext()
    #expect(journal.entries == [1, 2, 3])
    #expect(held.turnCount == 0)
    queue.schedule { [journal] in journal.add(4) }
    held.runNext()
    #expect(journal.entries == [1, 2, 3, 4])
  }

  @Test func workThatWaitsForTheNextDoesNotKeepItWaiting() {
    let queue = ProcessingQueue(held)
    // It runs what another thread would run meanwhile.
    queue.schedule { [journal, held] in
      held.runNext()
      journal.add(1)
    }
    queue.schedule { [journal] in journal.add(2) }
    queue.schedule { [journal] in journal.add(3) }
    held.runNext()
    #expect(journal.entries == [2, 3, 1])
  }

  @Test func aTurnIsBounded() {
    let queue = ProcessingQueue(held)
    for number in 0..<100 { queue.schedule { [journal] in journal.add(number) } }
    held.runNext()
    #expect(journal.entries == Array(0..<64))
    held.runNext()
    #expect(journal.entries == Array(0..<100))
  }

  @Test func workThatWasRunIsReleased() {
    let queue = ProcessingQueue(held)
    weak var released: Log<Int>?
    do {
      let journal = Log<Int>()
      released = journal
      queue.schedule { journal.add(1) }
    }
    #expect(released != nil)
    held.runNext()
    #expect(released == nil)
  }

  #if HELIOGRAPH_CURL
  @Test func whatATransportsTurnCompletesIsOneTurnAtItsEnd() {
    let (queue, other) = (ProcessingQueue(held), ProcessingQueue(held))
    let turn = TransportTurn()
    turn.run {
      for number in 1...3 { queue.schedule { [journal] in journal.add(number) } }
      other.schedule { [journal] in journal.add(4) }
      #expect(held.turnCount == 0)
    }
    #expect(held.turnCount == 2)
    held.runNext()
    held.runNext()
    #expect(journal.entries == [1, 2, 3, 4])
    queue.schedule {}
    #expect(TransportTurn.current == nil)
  }
  #endif

  @Test func nothingIsLostBetweenThreads() async {
    let queue = ProcessingQueue(.global)
    let (threadCount, workCount) = (4, 2_000)
    let count = Atomic<Int>(0)
    await withCheckedContinuation { continuation in
      for _ in 0..<threadCount {
        Thread.detachNewThread {
          for _ in 0..<workCount {
            queue.schedule {
              let before = count.add(1, ordering: .relaxed).oldValue
              if before == threadCount * workCount - 1 { continuation.resume() }
            }
          }
        }
      }
    }
    #expect(count.load(ordering: .relaxed) == threadCount * workCount)
  }

  @Test func onlyTheSystemsQueueIsShared() {
    #expect(ProcessingQueue.over(.global).isBatching)
    #expect(!ProcessingQueue.over(.immediate).isBatching)
    #expect(!ProcessingQueue.over(.serial("own")).isBatching)
    #expect(!ProcessingQueue.over(.main).isBatching)
  }
}
