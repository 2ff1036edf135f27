import Signals
import Synchronization
import TestSupport
import Testing

/// One thread at a time does the work, and all of it.
struct DrainTests {
  @Test func workIsDoneInOrder() {
    let drain = Drain()
    var (queue, done) = ([1, 2, 3], [Int]())
    drain.run { while let item = queue.takeFirst() { done.append(item) } }
    expectEqual(done, [1, 2, 3])
    // Again, after it was empty.
    queue = [4]
    drain.run { while let item = queue.takeFirst() { done.append(item) } }
    expectEqual(done, [1, 2, 3, 4])
  }

  /// Work may add work: the call inside returns at once, and the loop outside does it.
  @Test func aCallFromTheWorkDoesNotRecurse() {
    let drain = Drain()
    let queue = Guarded([0])
    let done = Guarded<[String]>([])
    drain.run {
      while let number = queue.withLock({ $0.takeFirst() }) {
        done.withLock { $0.append("begin \(number)") }
        if number < 2 {
          queue.withLock { $0.append(number + 1) }
          drain.run { done.withLock { $0.append("recursion") } }
        }
        done.withLock { $0.append("end \(number)") }
      }
    }
    expectEqual(done.withLock { $0 }, ["begin 0", "end 0", "begin 1", "end 1", "begin 2", "end 2"])
  }

  /// Also what is added while the thread inside finds nothing more.
  @Test func workAddedAtTheLastMomentIsDone() {
    let drain = Drain()
    var (queue, done) = ([1], [Int]())
    drain.run {
      while let item = queue.takeFirst() { done.append(item) }
      // As if by another thread, which finds this one inside and leaves.
      if done.count < 3 {
        queue.append(done.count + 1)
        drain.run { expect(false, "two are inside") }
      }
    }
    expectEqual(done, [1, 2, 3])
  }

  @Test func noTwoThreadsAreInsideAndNothingIsLost() async {
    let count = 4
    let rounds = Scale.count(500)
    let shared = Shared()
    await together(count) { thread in
      for round in 0..<rounds { shared.add(thread * rounds + round) }
    }
    let done = shared.done.withLock { $0 }
    expectEqual(done.sorted(), Array(0..<count * rounds))
    // The work of each thread is in its order.
    for thread in 0..<count {
      let own = done.filter { $0 / rounds == thread }
      expectEqual(own, own.sorted())
    }
    expectEqual(shared.overlapCount.load(ordering: .relaxed), 0)
  }

  private final class Shared: Sendable {
    let done = Guarded<[Int]>([])
    let overlapCount = Atomic(0)
    private let queue = Guarded<[Int]>([])
    private let inside = Atomic(0)
    private let drain = Drain()

    func add(_ item: Int) {
      queue.withLock { $0.append(item) }
      drain.run {
        if inside.add(1, ordering: .relaxed).newValue > 1 { overlapCount.add(1, ordering: .relaxed) }
        while let item = queue.withLock({ $0.takeFirst() }) { done.withLock { $0.append(item) } }
        inside.subtract(1, ordering: .relaxed)
      }
    }
  }
}
