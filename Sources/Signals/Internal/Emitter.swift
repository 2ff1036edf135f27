/// Where a source's events go: the next stage, or the subscriber itself if there is no stage.
@frozen
@usableFromInline
enum Output<Value: Sendable, Failure: Error> {
  case stage(
    next: @Sendable (Value) -> Void, end: @Sendable (End<Value, Failure>) -> Void, starts: DeferredStarts?)
  case subscriber(@Sendable (Event<Value, Failure>) -> Void)
}

/// The source behind an `Observer`; only observers keep it, while the gate belongs to the subscription.
///
/// So its deinit tells that nothing can be sent any more, and what waits downstream is freed. The gate's only resource is
/// the teardown of the source's work.
@usableFromInline
final class Emitter<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let gate: Gate<Output<Value, Failure>>
  @usableFromInline let pressure: Pressure?

  @inlinable
  init(_ gate: Gate<Output<Value, Failure>>, under pressure: Pressure?) {
    self.gate = gate
    self.pressure = pressure
  }

  @inlinable
  deinit {
    if gate.isDisposed || !gate.enter() { return }
    if case .stage(_, let end, _) = gate.state { end(.abandoned) }
    gate.state = nil
    gate.leave()
  }

  /// Runs the work and keeps its teardown, which runs at once if the signal has ended by then.
  @inlinable
  static func start(
    _ work: (Observer<Value, Failure>) -> Disposable?, _ gate: Gate<Output<Value, Failure>>, under pressure: Pressure?
  ) {
    if let teardown = work(Observer(Emitter(gate, under: pressure))) { gate.resources.add(teardown) }
  }

  @inlinable
  func next(_ value: Value) {
    guard gate.enter() else { return gate.later { self.forward(value) } }
    if case .stage(_, _, let starts?) = gate.state {
      starts.hold()
      forward(value)
      gate.leave()
      return starts.resume()
    }
    forward(value)
    gate.leave()
  }

  @inlinable
  func end(_ end: End<Value, Failure>) {
    guard gate.enter() else { return gate.later { self.finish(end) } }
    finish(end)
    gate.leave()
  }

  @inlinable
  func forward(_ value: Value) {
    switch gate.state {
    case .stage(let next, _, _): next(value)
    case .subscriber(let handler): handler(.value(value))
    case nil: break
    }
  }

  /// Delivers the end, after a last value, and then runs the teardown.
  @inlinable
  func finish(_ end: End<Value, Failure>) {
    // A subscriber gets the last value first, as it may dispose; stages take both at once.
    if case .subscriber(let handler) = gate.state, case .last(let value) = end { handler(.value(value)) }
    switch gate.close() {
    case .stage(_, let forward, _): forward(end)
    case .subscriber(let handler):
      if case .failed(let failure) = end { handler(.failed(failure)) } else { handler(.completed) }
    case nil: break
    }
    gate.resources.dispose()
  }
}
