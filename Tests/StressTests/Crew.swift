import Foundation
import Signals
import Synchronization

/// Three threads that start each batch of work together, for the length of a run.
final class Crew: Sendable {
  typealias Work = @Sendable (_ lane: Int) -> Void

  private let work = Guarded<Work?>(nil)
  private let gates = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
  private let ready = Atomic<Int>(0)
  private let done = Atomic<Int>(0)

  /// Runs the leader on its own thread; the other two threads end when it returns.
  static func lead(_ body: @escaping @Sendable (Crew) -> Void) async {
    await withCheckedContinuation { continuation in
      let crew = Crew()
      for lane in 1...2 { Thread.detachNewThread { crew.serve(lane) } }
      Thread.detachNewThread {
        body(crew)
        crew.work.withLock { $0 = nil }
        for gate in crew.gates { gate.signal() }
        continuation.resume()
      }
    }
  }

  private func serve(_ lane: Int) {
    while true {
      gates[lane - 1].wait()
      guard let work = work.withLock({ $0 }) else { return }
      line(ready)
      work(lane)
      done.add(1, ordering: .acquiringAndReleasing)
    }
  }

  /// Runs a batch in all three lanes at once and waits for all.
  func run(_ work: @escaping Work) {
    self.work.withLock { $0 = work }
    ready.store(0, ordering: .relaxed)
    done.store(0, ordering: .relaxed)
    for gate in gates { gate.signal() }
    line(ready)
    work(0)
    done.add(1, ordering: .acquiringAndReleasing)
    Crew.spin { done.load(ordering: .acquiring) == 3 }
  }

  private func line(_ counter: borrowing Atomic<Int>) {
    counter.add(1, ordering: .acquiringAndReleasing)
    Crew.spin { counter.load(ordering: .acquiring) == 3 }
  }

  /// Yields until a condition holds; returns whether it did within the limit.
  @discardableResult
  static func spin(limit: Duration = .seconds(30), until condition: () -> Bool) -> Bool {
    let start = ContinuousClock.now
    var turns = 0
    while !condition() {
      turns += 1
      if turns % 1_024 == 0, ContinuousClock.now - start > limit { return false }
      sched_yield()
    }
    return true
  }
}

/// A random number generator that a seed makes repeatable.
struct SplitMix: RandomNumberGenerator, Sendable {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// Returns a number below a limit: cheaper than `Int.random`, and uniform enough.
  mutating func below(_ limit: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % limit }

  /// Returns one of the cases of an enumeration.
  mutating func pick<Choice: CaseIterable>(_ type: Choice.Type = Choice.self) -> Choice
  where Choice.AllCases == [Choice] {
    Choice.allCases[below(Choice.allCases.count)]
  }

  /// Returns `true` once in so many calls, on average.
  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
}
