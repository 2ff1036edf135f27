import Dispatch
import Foundation
import Synchronization

/// Runs a body on several threads that start at the same moment, and waits for all.
func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let arrived = Tally()
  let group = DispatchGroup()
  for index in 0..<count {
    group.enter()
    Thread {
      arrived.arrive()
      spin { arrived.count == count }
      body(index)
      group.leave()
    }
    .start()
  }
  group.wait()
}

/// Waits for another thread, which is about to do its part.
func spin(until isMet: () -> Bool) {
  while !isMet() { sched_yield() }
}

/// Runs a body on a thread with the stack that secondary threads have on Apple's systems.
func onSmallStack(_ body: @escaping @Sendable () -> Void) {
  let group = DispatchGroup()
  group.enter()
  let thread = Thread {
    body()
    group.leave()
  }
  thread.stackSize = 512 * 1024
  thread.start()
  group.wait()
}

/// An atomic counter that closures can share.
final class Tally: Sendable {
  private let value = Atomic<Int>(0)

  var count: Int { value.load(ordering: .acquiring) }

  func arrive() { value.add(1, ordering: .acquiringAndReleasing) }
}
