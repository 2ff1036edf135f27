import Heliograph
import Synchronization

/// The limit of `--total-timeout`, which covers all requests of a command, the pauses between them and the output.
enum TotalTimeout {
  /// Runs work, and cancels it after a time: then it fails with the exit code of a timeout.
  static func limit(_ time: Duration?, _ work: @escaping @Sendable () async throws -> Void) async throws {
    guard let time else { return try await work() }
    let hasPassed = Atomic(false)
    let task = Task { try await work() }
    // Output that blocks may take all threads of tasks, so the timer has its own.
    let timer = Signal<Void, Never>.timer(after: time, on: .serial("courier.timeout")).subscribe {
      hasPassed.store(true, ordering: .relaxed)
      task.cancel()
    }
    defer { timer.dispose() }
    do {
      try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch {
      let failure = Failure(error)
      guard hasPassed.load(ordering: .relaxed), failure.code == .interrupted else { throw failure }
      let advice = failure.advice.isEmpty ? "allow more time, or try again" : failure.advice
      throw Failure(.timeout, "total timeout exceeded", advice)
    }
  }
}
