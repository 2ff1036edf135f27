/// The stage of `take(until:)` and `skip(until:)`: a trigger completes a source, or lets its values pass.
struct Until<Value: Sendable, Failure: Error>: Sendable {
  private struct State {
    var isOpen: Bool
    /// Whether the source can send no further event; the trigger may still terminate the stage.
    var isSourceUnreachable = false
    var hasTriggerEnded = false

    var isUnreachable: Bool { isSourceUnreachable && hasTriggerEnded }
  }

  let source = Disposable()
  /// The trigger, whose disposal counts as its end: an owner that is bound in it disposes it silently.
  let trigger: Disposable
  private let gate: Gate<Value, Failure>
  private let completes: Bool
  private let state: Cell<State>

  /// Creates a stage that the trigger's first value completes, or whose values pass from then on.
  init(_ downstream: Downstream<Value, Failure>, completes: Bool) {
    self.completes = completes
    let state = Cell(State(isOpen: completes))
    let gate = Gate(next: downstream.next, end: downstream.end)
    (self.state, self.gate) = (state, gate)
    // Weak, because an unreachable end leaves the trigger with the gate.
    trigger = Disposable { [weak gate] in if let gate { Until.endTrigger(in: gate, state) } }
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
        if state.value.isUnreachable { gate.finish(end) }
      case .last where !state.value.isOpen: gate.finish(.completed)
      default: gate.finish(end)
      }
    }
  }

  /// Delivers an event of the trigger, unless the trigger was disposed or its owner was deallocated.
  func deliverFromTrigger(_ delivery: () -> Void) {
    if trigger.isActive { delivery() } else { trigger.deliver(delivery) }
  }

  /// Receives a value of the trigger: completes the stage, or lets values pass and disposes the trigger.
  func fire() {
    if completes { return end(.completed) }
    gate.run { state.value.isOpen = true }
    trigger.dispose()
  }

  /// Receives the end of the trigger; completion without a value has no effect.
  func endTrigger<Other>(_ end: End<Other, Failure>) {
    switch end {
    case .last: fire()
    case .failed(let failure): gate.run { gate.finish(.failed(failure)) }
    case .completed, .abandoned: trigger.dispose()
    case .unreachable:
      trigger.retainByOwners()
      Until.endTrigger(in: gate, state)
    }
  }

  private static func endTrigger(in gate: Gate<Value, Failure>, _ state: Cell<State>) {
    gate.run {
      state.value.hasTriggerEnded = true
      if state.value.isUnreachable { gate.finish(.unreachable) }
    }
  }
}
