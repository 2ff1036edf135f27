/// The stage of `take(until:)`: a source that is terminated by a value or a failure of a trigger.
struct TakeUntil<Value: Sendable, Failure: Error>: Sendable {
  private struct State {
    /// Whether the source can send no further event.
    ///
    /// The trigger may still complete the stage.
    var isSourceUnreachable = false
    var hasTriggerEnded = false
  }

  let source = Disposable()
  let trigger = Disposable()
  private let gate: Gate<Value, Failure>
  private let state = Cell(State())

  init(_ downstream: Downstream<Value, Failure>) {
    gate = Gate(next: downstream.next, end: downstream.end)
    gate.hold(DisposablePair(source, trigger))
    downstream.scope.hold(gate)
  }

  func next(_ value: Value) {
    guard gate.enter() else { return gate.enqueue { gate.send(value) } }
    gate.send(value)
    gate.leave()
  }

  /// Receives the end of the source, or the end that the trigger causes.
  func end(_ end: End<Value, Failure>) {
    gate.run {
      guard end.isUnreachable, !state.value.hasTriggerEnded else { return gate.finish(end) }
      state.value.isSourceUnreachable = true
    }
  }

  /// Receives the end of the trigger; completion without a value has no effect on the source.
  func endTrigger<Other>(_ end: End<Other, Failure>) {
    switch end {
    case .last: self.end(.completed)
    case .failed(let failure): self.end(.failed(failure))
    case .completed, .abandoned, .unreachable:
      if end.isUnreachable { trigger.retainByOwners() }
      gate.run {
        state.value.hasTriggerEnded = true
        if state.value.isSourceUnreachable { gate.finish(.unreachable) }
      }
      if !end.isUnreachable { trigger.dispose() }
    }
  }
}

/// The stage of `skip(until:)`: a source whose values are dropped until a trigger sends a value.
struct SkipUntil<Value: Sendable, Failure: Error>: Sendable {
  private struct State {
    var isOpen = false
    /// Whether the source can send no further event.
    ///
    /// The trigger may still fail the stage.
    var isSourceUnreachable = false
    var hasTriggerEnded = false
  }

  let source = Disposable()
  let trigger = Disposable()
  private let gate: Gate<Value, Failure>
  private let state = Cell(State())

  init(_ downstream: Downstream<Value, Failure>) {
    gate = Gate(next: downstream.next, end: downstream.end)
    gate.hold(DisposablePair(source, trigger))
    downstream.scope.hold(gate)
  }

  func next(_ value: Value) {
    guard gate.enter() else { return gate.enqueue { if state.value.isOpen { gate.send(value) } } }
    if state.value.isOpen { gate.send(value) }
    gate.leave()
  }

  func end(_ end: End<Value, Failure>) {
    gate.run {
      switch end {
      case .unreachable:
        state.value.isSourceUnreachable = true
        finishIfUnreachable()
      case .last where !state.value.isOpen: gate.finish(.completed)
      default: gate.finish(end)
      }
    }
  }

  /// Receives a value of the trigger, lets values pass and disposes the trigger.
  func open() {
    gate.run {
      state.value.isOpen = true
      state.value.hasTriggerEnded = true
      finishIfUnreachable()
    }
    trigger.dispose()
  }

  /// Receives the end of the trigger; completion without a value has no effect.
  func endTrigger<Other>(_ end: End<Other, Failure>) {
    switch end {
    case .last: open()
    case .failed(let failure): gate.run { gate.finish(.failed(failure)) }
    case .completed, .abandoned, .unreachable:
      gate.run {
        state.value.hasTriggerEnded = true
        finishIfUnreachable()
      }
      if !end.isUnreachable { trigger.dispose() }
    }
  }

  private func finishIfUnreachable() {
    if state.value.isSourceUnreachable, state.value.hasTriggerEnded { gate.finish(.unreachable) }
  }
}
