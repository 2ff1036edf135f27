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
  /// Each iterator subscribes at its first `next()`. Values that come faster than they are asked for wait, so memory grows
  /// with how far the signal is ahead, unless its source pauses. Cancelling the task, or dropping the iterator, disposes
  /// the subscription; the loop then ends as if the signal had completed.
  public var values: AsyncValues<Value, Failure> { AsyncValues(signal: self) }

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

  /// Makes an iterator; it subscribes when it is first asked.
  public func makeAsyncIterator() -> Iterator { Iterator(mailbox: Mailbox(signal)) }

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

/// Keeps what a signal sends until a task asks for it.
final class Mailbox<Value: Sendable, Failure: Error>: Sendable {
  private struct State {
    var waiting = Waiting<Value>()
    var ending: Event<Value, Failure>?
    var asker: CheckedContinuation<Event<Value, Failure>, Never>?
    var source: Signal<Value, Failure>?
  }

  private let state: Guarded<State>
  private let subscription = Slot()
  // An object of its own: a source that keeps it must not keep us.
  private let pressure = Pressure(before: nil)

  init(_ source: Signal<Value, Failure>) {
    state = Guarded(State(source: source))
  }

  deinit { stop() }

  private func stop() {
    pressure.close()
    subscription.close()
    pressure.tell()
  }

  func next() async throws(Failure) -> Value? {
    start()
    let event = await withTaskCancellationHandler {
      await withCheckedContinuation { ask($0) }
    } onCancel: {
      stop()
      receive(.completed, dropsWaiting: true)
    }
    switch event {
    case .value(let value): return value
    case .failed(let failure): throw failure
    case .completed: return nil
    }
  }

  private func start() {
    guard let source = state.withLock({ $0.source.take() }) else { return }
    // Weak: the iterator owns the mailbox, so that dropping it ends the subscription.
    subscription.put(source.subscribe(under: pressure) { [weak self] in self?.receive($0) })
  }

  private func ask(_ asker: CheckedContinuation<Event<Value, Failure>, Never>) {
    let event = state.withLock { state -> Event<Value, Failure>? in
      if let value = state.waiting.popFirst() {
        pressure.give(leaving: state.waiting.count)
        return .value(value)
      }
      if let ending = state.ending {
        state.ending = .completed
        return ending
      }
      state.asker = asker
      return nil
    }
    guard let event else { return }
    asker.resume(returning: event)
    pressure.tell()
  }

  private func receive(_ event: Event<Value, Failure>, dropsWaiting: Bool = false) {
    // Freed outside the lock: a deinit is somebody else's code.
    var dropped = Waiting<Value>()
    defer { withExtendedLifetime(dropped) {} }
    let asker = state.withLock { state -> CheckedContinuation<Event<Value, Failure>, Never>? in
      if dropsWaiting { swap(&dropped, &state.waiting) }
      guard dropsWaiting || state.ending == nil else { return nil }
      if event.isTerminal && (state.asker == nil || dropsWaiting) { state.ending = event }
      guard let asker = state.asker.take() else {
        if case .value(let value) = event {
          state.waiting.append(value)
          pressure.gather(state.waiting.count)
        }
        return nil
      }
      if event.isTerminal { state.ending = .completed }
      return asker
    }
    asker?.resume(returning: event)
  }
}
