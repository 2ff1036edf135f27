import Dispatch
import Testing

/// Runs the tests of a suite one after another on a queue of their own.
///
/// Swift's threads are as many as there are cores, and what waits for them waits in line: a test that computes for seconds
/// would keep those waiting that only look whether an event has arrived, beyond their limits.
struct HeavyTests: SuiteTrait, TestTrait, TestScoping {
  private static let executor = QueueExecutor()

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(HeavyTests.executor) { try await function() }
  }
}

extension Trait where Self == HeavyTests {
  /// For tests that compute for seconds.
  static var heavy: HeavyTests { HeavyTests() }
}

/// Runs the jobs of tasks on a serial queue.
private final class QueueExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "heavy tests")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
