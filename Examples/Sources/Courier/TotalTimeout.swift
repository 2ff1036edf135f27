import Heliograph

/// The limit of `--total-timeout`, which covers all requests of a command, the pauses between them and the output.
enum TotalTimeout {
  private enum End {
    case work
    /// Whether the time has passed, instead of being cancelled.
    case time(hasPassed: Bool)
  }

  /// Runs work, and cancels it after a time: then it fails with the exit code of a timeout.
  static func limit(_ time: Duration?, _ work: @escaping @Sendable () async throws -> Void) async throws {
    guard let time else { return try await work() }
    var hasPassed = false
    do {
      try await withThrowingTaskGroup(of: End.self) { group in
        group.addTask {
          try await work()
          return .work
        }
        group.addTask { .time(hasPassed: (try? await Task.sleep(for: time)) != nil) }
        while case .time(let isOver)? = try await group.next() {
          hasPassed = isOver
          if isOver { group.cancelAll() }
        }
        group.cancelAll()
      }
    } catch {
      let failure = Failure(error)
      guard hasPassed, failure.code == .interrupted else { throw failure }
      let advice = failure.advice.isEmpty ? "allow more time, or try again" : failure.advice
      throw Failure(.timeout, "the total timeout has passed", advice)
    }
  }
}
