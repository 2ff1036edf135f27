/// A one-time suspension of a task.
///
/// It may be ended from any thread, even before the task has suspended.
final class TaskPause: Sendable {
  private enum State: Sendable {
    case running
    case suspended(CheckedContinuation<Void, Never>)
    case ended
  }

  private let state = Guarded(State.running)

  /// Suspends the task; `begin` runs first.
  func suspend(_ begin: () -> Void) async {
    await withCheckedContinuation { continuation in
      let isEnded = state.withLock { state in
        if case .ended = state { return true }
        state = .suspended(continuation)
        return false
      }
      if isEnded { return continuation.resume() }
      begin()
    }
  }

  /// Resumes the task.
  func end() {
    let before = state.withLock { state in
      let before = state
      state = .ended
      return before
    }
    if case .suspended(let continuation) = before { continuation.resume() }
  }
}

extension Pressure {
  /// Returns when at most 4 values are buffered, when a boundary has closed or when the task is cancelled.
  func waitUntilLow() async {
    let pause = TaskPause()
    await withTaskCancellationHandler {
      await pause.suspend { whenLow { pause.end() } }
    } onCancel: {
      pause.end()
    }
  }
}

/// A source of a sequence's elements that pauses under back-pressure.
///
/// The scope downstream holds it, and its disposal frees the iterator and the downstream also during a pause.
@usableFromInline
final class PausingSequence<Value: Sendable, Failure: Error>: Disposing {
  private struct Work: Sendable {
    // Used by one thread at a time: the next run begins after the previous one has paused.
    let element: Cell<() -> Value?>
    let downstream: Downstream<Value, Failure>
  }

  private let work: Guarded<Work?>
  private let pressure: Pressure

  /// Creates a source of the elements that `element` returns, until it returns `nil`.
  @usableFromInline
  init(_ downstream: Downstream<Value, Failure>, _ pressure: Pressure, _ element: @escaping () -> Value?) {
    work = Guarded(Work(element: Cell(element), downstream: downstream))
    self.pressure = pressure
    downstream.scope.hold(self)
  }

  @usableFromInline var isDisposed: Bool { work.withLock { $0 == nil } }

  @usableFromInline
  func run() {
    guard let (element, downstream) = work.withLock({ $0.map { ($0.element, $0.downstream) } }) else { return }
    while !downstream.scope.isCancelled {
      guard let value = element.value() else {
        dispose()
        return downstream.end(.completed)
      }
      downstream.next(value)
      if pressure.isHigh { return pressure.whenLow { self.run() } }
    }
  }

  @usableFromInline
  func dispose() {
    let dropped = work.withLock { $0.take() }
    withExtendedLifetime(dropped) {}
  }
}
