extension Signal {
  /// Creates a signal that runs an async operation and sends its result.
  ///
  /// Each subscription starts its own task, on whose thread the result is delivered. Disposal cancels the task.
  /// - Parameters:
  ///   - priority: The priority of the task. Default: the subscriber's priority.
  ///   - operation: The operation to run.
  /// - Returns: A cold signal of one value.
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

  /// An async sequence of the values; it throws the signal's failure.
  ///
  /// Each iterator subscribes at its first `next()`, unless its task is already cancelled. Values that arrive faster
  /// than the loop consumes them are buffered without a limit. A source that can pause, such as ``from(_:)``, does so
  /// at 16 buffered values. Cancelling the task or releasing the iterator disposes the subscription. A cancelled loop
  /// throws if the failure type is ``CancellationReporting``; otherwise it ends as if the signal had completed. The
  /// loop also ends when the subject that sends the values is deallocated. It runs on the actor of its task and yields
  /// after every 256 values received without suspension. If several tasks share an iterator, each value goes to one of
  /// them; the end, and the cancellation of any task, reaches all.
  public var values: AsyncValues<Value, Failure> { values(buffering: .unbounded) }

  /// Returns an async sequence of the values with a buffering policy; see ``values``.
  ///
  /// A limited buffer drops values but never the terminal event. It never applies back-pressure, so a source that can
  /// pause does not pause. An endless synchronous source, such as `from(0...)`, requires the unlimited buffer.
  /// - Parameter policy: The rule for values that arrive faster than the loop consumes them.
  /// - Returns: The sequence.
  public func values(buffering policy: BufferingPolicy) -> AsyncValues<Value, Failure> {
    AsyncValues(signal: self, buffering: policy)
  }

  /// Returns the first value, or `nil` if the signal ends without a value, also silently, or if the task is cancelled
  /// and the failure type has no ``CancellationReporting/cancellation``.
  ///
  /// The source is disposed after the first value and when the task is cancelled.
  /// - Throws: The signal's failure; if the task is cancelled, the failure type's
  ///   ``CancellationReporting/cancellation``, if any.
  public func first() async throws(Failure) -> Value? { try await take(1).values(startingOnActor: true).next() }

  /// Returns an iterator of the values; off the caller's actor, the work has started in the caller's task.
  package func values(startingOnActor startsOnActor: Bool) async -> AsyncValues<Value, Failure>.Iterator {
    let mailbox = Mailbox(self, .unbounded)
    if !startsOnActor { await mailbox.beginOffActor() }
    return AsyncValues.Iterator(mailbox: mailbox)
  }

  /// Returns the first value.
  ///
  /// The source is disposed after the first value and when the task is cancelled.
  /// - Throws: The signal's failure; `EmptySignalError` if the signal ends without a value, also silently; if the task
  ///   is cancelled before the first value, the failure type's ``CancellationReporting/cancellation``, or else
  ///   `CancellationError`.
  public func value() async throws -> Value {
    if let value = try await first() { return value }
    try Task.checkCancellation()
    throw EmptySignalError()
  }
}

/// An error thrown when a signal ends without a required value.
public struct EmptySignalError: Error, Sendable, Equatable {
  /// Creates the error; all instances are equal.
  public init() {}
}

/// An async sequence of a signal's values, for `for try await`.
public struct AsyncValues<Value: Sendable, Failure: Error>: AsyncSequence, Sendable {
  /// The type of the signal's values.
  public typealias Element = Value

  let signal: Signal<Value, Failure>
  let buffering: BufferingPolicy

  /// Creates an iterator that subscribes at its first `next()`.
  public func makeAsyncIterator() -> Iterator { Iterator(mailbox: Mailbox(signal, buffering)) }

  /// An iterator that consumes a signal's values one at a time.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    let mailbox: Mailbox<Value, Failure>

    /// Returns the next value, or `nil` at the end.
    public func next() async throws(Failure) -> Value? { try await mailbox.next() }

    /// Returns the next value, or `nil` at the end.
    ///
    /// - Parameter actor: The actor of the caller.
    /// - Returns: The value, or `nil` at the end.
    /// - Throws: The signal's failure.
    public func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Value? {
      try await mailbox.next()
    }
  }
}

/// A failure type with a value that reports the cancellation of a task.
///
/// ``Signal/values`` and the async ``Signal/first()->Value?`` throw it when their task is cancelled. With any other
/// failure type they end as if the signal had completed. Subscriptions that are disposed stay silent in either case.
public protocol CancellationReporting: Error {
  /// The failure that a cancelled task throws.
  static var cancellation: Self { get }
}

extension Event {
  static var cancellation: Event {
    guard let type = Failure.self as? any CancellationReporting.Type, let failure = type.cancellation as? Failure else {
      return .completed
    }
    return .failed(failure)
  }
}
