extension Signal {
  /// A signal that runs an async operation and sends what it returns.
  ///
  /// Each subscription starts a task of its own; disposal cancels it.
  /// - Parameters:
  ///   - priority: the task's priority. Default: the subscriber's.
  ///   - operation: what to run.
  /// - Returns: a cold signal of one value.
  public static func task(
    priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async throws(Failure) -> Value
  ) -> Signal {
    Signal { observer in
      let task = Task(priority: priority) {
        do throws(Failure) {
          observer.complete(with: try await operation())
        } catch {
          observer.fail(error)
        }
      }
      return Disposable { task.cancel() }
    }
  }

  /// The values as an async sequence that throws the signal's failure.
  ///
  /// Each iterator subscribes at its first `next()`, unless its task is cancelled by then. Values that are sent faster than
  /// the loop takes them wait in a buffer without a limit; a source that can pause, such as ``from(_:)``, does so at 16.
  /// Cancelling the task, or dropping the iterator, disposes the subscription; the loop then ends as if the signal had
  /// completed. It ends so, too, when the subject that it listens to is deallocated.
  public var values: AsyncValues<Value, Failure> { values(buffering: .unbounded) }

  /// The values as an async sequence, with a limit for the buffer; see ``values``.
  ///
  /// A limited buffer drops values, never the terminal event. It is never full, so a source that can pause does not: an
  /// endless synchronous one, such as `from(0...)`, needs the buffer without a limit.
  /// - Parameter policy: what happens to values that are sent faster than the loop takes them.
  /// - Returns: the sequence.
  public func values(buffering policy: BufferingPolicy) -> AsyncValues<Value, Failure> {
    AsyncValues(signal: self, buffering: policy)
  }

  /// The first value, or `nil` if the signal completes without one or the task is cancelled.
  ///
  /// The source is disposed as soon as there is a value, and when the task is cancelled.
  /// - Throws: the signal's failure.
  public func first() async throws(Failure) -> Value? {
    let iterator = take(1).values.makeAsyncIterator()
    return try await iterator.next()
  }

  /// The first value.
  ///
  /// The source is disposed as soon as there is a value, and when the task is cancelled.
  /// - Throws: the signal's failure; `EmptySignalError` if it completes without a value; `CancellationError` if the task is
  ///   cancelled before there is one.
  public func value() async throws -> Value {
    if let value = try await first() { return value }
    try Task.checkCancellation()
    throw EmptySignalError()
  }
}

/// A signal completed without the value that was asked for.
public struct EmptySignalError: Error, Sendable, Equatable {
  /// Makes the error.
  public init() {}
}

/// The values of a signal, for `for try await`.
public struct AsyncValues<Value: Sendable, Failure: Error>: AsyncSequence, Sendable {
  /// What the sequence gives.
  public typealias Element = Value

  let signal: Signal<Value, Failure>
  let buffering: BufferingPolicy

  /// Makes an iterator; it subscribes when it is first asked.
  public func makeAsyncIterator() -> Iterator { Iterator(mailbox: Mailbox(signal, buffering)) }

  /// Asks a signal for one value after another.
  public struct Iterator: AsyncIteratorProtocol {
    let mailbox: Mailbox<Value, Failure>

    /// The next value, or `nil` at the end.
    public func next() async throws(Failure) -> Value? { try await mailbox.next() }

    /// The next value, or `nil` at the end.
    ///
    /// - Parameter actor: where the caller runs.
    /// - Returns: the value.
    /// - Throws: the signal's failure.
    public func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Value? {
      try await mailbox.next()
    }
  }
}
