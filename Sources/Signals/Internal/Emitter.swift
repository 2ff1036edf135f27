/// What stands behind an `Observer`: the gate of one subscription, its way on, and the teardown of its work.
///
/// Its way on is either the next stage's two closures, or the subscriber's one: that saves the object that a chain of
/// stages ends in. Plain closures, not an enum: that would need type metadata each time it is changed or freed.
@usableFromInline
final class Emitter<Value: Sendable, Failure: Error>: Cancellable {
  @usableFromInline typealias Item = Event<Value, Failure>.Whole

  @usableFromInline let gate = Gate()
  @usableFromInline let teardown = Slot()
  // These three are read and written only by the thread that is inside the gate, or that closed it while it was idle.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var stageNext: (@Sendable (Value) -> Void)?
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var stageEnd: (@Sendable (End<Value, Failure>) -> Void)?
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var subscriber:
    (@Sendable (Event<Value, Failure>) -> Void)?

  @inlinable
  init(next: @escaping @Sendable (Value) -> Void, end: @escaping @Sendable (End<Value, Failure>) -> Void) {
    stageNext = next
    stageEnd = end
  }

  @inlinable
  init(subscriber: @escaping @Sendable (Event<Value, Failure>) -> Void) {
    self.subscriber = subscriber
  }

  @inlinable var isOver: Bool { gate.isClosed }

  @inlinable
  func next(_ value: Value) {
    guard gate.enter(orKeep: Item.value(value)) else { return }
    forward(value)
    leave()
  }

  @inlinable
  func end(_ end: End<Value, Failure>) {
    guard gate.enter(orKeep: Item.end(end)) else { return }
    finish(end)
  }

  @inlinable
  func leave() {
    if !gate.leave({ (item: Item) in deliver(item) }) { free() }
  }

  @inlinable
  func deliver(_ item: Item) {
    switch item {
    case .value(let value): forward(value)
    case .end(let end): finish(end)
    }
  }

  @inlinable
  func forward(_ value: Value) {
    // Taken out and put back: that costs two stores, where a call of the property itself is a retain and a release.
    // (Not with `take()`: a closure that passes through a generic function comes back wrapped in another.)
    if let next = stageNext {
      stageNext = nil
      next(value)
      stageNext = next
    } else if let handler = subscriber {
      subscriber = nil
      handler(.value(value))
      subscriber = handler
    }
  }

  /// Delivers the end, after a last value, and then runs the teardown.
  @inlinable
  func finish(_ end: End<Value, Failure>) {
    if let stageEnd {
      free()
      if gate.close() != Gate.closed { stageEnd(end) }
    } else if let handler = subscriber {
      free()
      if case .last(let value) = end { handler(.value(value)) }
      if gate.close() != Gate.closed {
        if case .failed(let failure) = end { handler(.failed(failure)) } else { handler(.completed) }
      }
    }
    teardown.close()
  }

  @inlinable
  func free() {
    stageNext = nil
    stageEnd = nil
    subscriber = nil
  }

  /// Runs the work and keeps its teardown, which runs at once if the signal has ended by then.
  @inlinable
  func start(_ work: (Observer<Value, Failure>) -> Disposable?, under pressure: Pressure?) {
    if let resource = work(Observer(self, pressure)) { teardown.put(resource) }
  }

  @inlinable
  func cancel() {
    if gate.close() == Gate.idle { free() }
    teardown.close()
  }
}

extension Event {
  /// An event as it waits at a gate, with a last value still fused.
  @usableFromInline
  enum Whole: Sendable {
    case value(Value)
    case end(End<Value, Failure>)
  }
}
