public import Signals

extension Signal where Failure == NetworkError {
  /// Creates a signal that runs an async operation, such as several requests, and sends its result.
  ///
  /// The variant of `task` for a closure with untyped errors. A ``NetworkError`` is delivered unchanged; any
  /// other error becomes a `processing` error with the code ``NetworkError/Code/transformFailed``. Each subscription
  /// starts its own task. Disposal cancels the task.
  /// - Parameters:
  ///   - priority: The priority of the task. Default: the subscriber's.
  ///   - operation: The operation to run.
  /// - Returns: A cold signal of one value.
  @_disfavoredOverload
  public static func task(
    priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async throws -> Value
  ) -> Signal {
    task(priority: priority) { () async throws(NetworkError) in
      do { return try await operation() } catch { throw NetworkError(ofTask: error) }
    }
  }
}

extension NetworkError {
  fileprivate init(ofTask error: any Error) {
    self =
      error as? NetworkError
      ?? (error is CancellationError
        ? .cancellation
        : NetworkError(.transformFailed, reason: "the task's closure threw an error", underlying: error))
  }
}
