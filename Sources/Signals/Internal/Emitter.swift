/// What stands behind an `Observer`: the gate of one subscription, its way on, and the teardown of its work.
@usableFromInline
final class Emitter<Value: Sendable, Failure: Error>: Cancellable {
  /// Where a gate's events go.
  @usableFromInline
  enum Output: Sendable {
    case stage(Sink<Value, Failure>)
    /// The subscriber itself: saves the object that a chain of stages ends in.
    case subscriber(@Sendable (Event<Value, Failure>) -> Void)
    case nowhere
  }

  @usableFromInline let gate = Gate<Event<Value, Failure>.Whole>()
  @usableFromInline let teardown = Slot()
  // Read and written only by the thread that is inside the gate, or that closed it while it was idle.
  @usableFromInline nonisolated(unsafe) var output: Output

  @inlinable
  init(_ output: Output) {
    self.output = output
  }

  @inlinable var isOver: Bool { gate.isClosed }

  @inlinable
  func next(_ value: Value) {
    guard gate.enter(orKeep: .value(value)) else { return }
    forward(value)
    leave()
  }

  @inlinable
  func end(_ end: End<Value, Failure>) {
    guard gate.enter(orKeep: .end(end)) else { return }
    finish(end)
    leave()
  }

  @inlinable
  func leave() {
    if !gate.leave({ $0.deliver(to: self) }) { output = .nowhere }
  }

  @inlinable
  func forward(_ value: Value) {
    switch output {
    case .stage(let sink): sink.next(value)
    case .subscriber(let handler): handler(.value(value))
    case .nowhere: break
    }
  }

  @usableFromInline
  func finish(_ end: End<Value, Failure>) {
    switch output {
    case .stage(let sink):
      if gate.close() != GateState.closed { sink.end(end) }
    case .subscriber(let handler):
      switch end {
      case .last(let value):
        handler(.value(value))
        if gate.close() != GateState.closed { handler(.completed) }
      case .completed:
        if gate.close() != GateState.closed { handler(.completed) }
      case .failed(let failure):
        if gate.close() != GateState.closed { handler(.failed(failure)) }
      }
    case .nowhere:
      gate.close()
    }
    output = .nowhere
    teardown.close()
  }

  /// Runs the work and keeps its teardown, which runs at once if the signal has ended by then.
  @inlinable
  func start(_ work: (Observer<Value, Failure>) -> Disposable?) {
    if let resource = work(Observer(self)) { teardown.put(resource) }
  }

  @usableFromInline
  func cancel() {
    if gate.close() == GateState.idle { output = .nowhere }
    teardown.close()
  }
}

extension Event {
  /// An event as it waits at a gate, with a last value still fused.
  @usableFromInline
  enum Whole: Sendable {
    case value(Value)
    case end(End<Value, Failure>)

    @inlinable
    func deliver(to emitter: Emitter<Value, Failure>) {
      switch self {
      case .value(let value): emitter.forward(value)
      case .end(let end): emitter.finish(end)
      }
    }
  }
}
