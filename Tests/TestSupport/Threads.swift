import Foundation
import Synchronization

// The threads of the concurrency pool are as few as the processor has cores, and every test shares them: what blocks, spins or
// computes for long runs on a thread of its own.

/// Runs work on a thread of its own and returns its result.
@discardableResult
package func onThread<Value: Sendable, Failure: Error>(
  stackByteCount: Int? = nil, _ work: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
    let thread = Thread {
      do throws(Failure) {
        continuation.resume(returning: .success(try work()))
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    if let stackByteCount { thread.stackSize = stackByteCount }
    thread.start()
  }
  return try result.get()
}

/// Runs work on a thread with the stack of secondary threads on Apple's systems, 512 KiB.
@discardableResult
package func onSmallThread<Value: Sendable, Failure: Error>(
  _ work: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  try await onThread(stackByteCount: 512 * 1_024, work)
}

/// Runs work on several threads that start at the same moment, and waits for all.
package func together(
  _ count: Int, stackByteCount: Int? = nil, _ work: @escaping @Sendable (Int) -> Void
) async {
  let missing = Countdown(count)
  let running = Countdown(count)
  await withCheckedContinuation { continuation in
    for index in 0..<count {
      let thread = Thread {
        missing.count()
        spin { missing.isTerminated }
        work(index)
        if running.count() { continuation.resume() }
      }
      if let stackByteCount { thread.stackSize = stackByteCount }
      thread.start()
    }
  }
}

/// Waits, on a thread that is not the pool's, for another one that is about to act.
package func spin(until isMet: () -> Bool) {
  while !isMet() { sched_yield() }  // blocks: a thread of its own
}

private final class Countdown: Sendable {
  private let rest: Atomic<Int>

  init(_ count: Int) { rest = Atomic(count) }

  var isTerminated: Bool { rest.load(ordering: .acquiring) == 0 }

  /// Subtracts one, and returns whether it was the last.
  @discardableResult
  func count() -> Bool { rest.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}
