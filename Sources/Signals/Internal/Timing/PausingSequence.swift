/// A source of a sequence's elements that pauses under back-pressure; the scope downstream holds it, and its disposal
/// frees the iterator and the downstream also during a pause.
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
      if pressure.isHigh { return pressure.continueWhenLow { self.run() } }
    }
  }

  @usableFromInline
  func dispose() {
    work.discardWithLock { $0.take() }
  }
}
