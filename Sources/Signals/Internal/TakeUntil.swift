/// A source that a trigger ends, by a value or a failure.
struct TakeUntil<Value: Sendable, Failure: Error>: Sendable {
  struct State {
    let downstream: Downstream<Value, Failure>
    var source = InputPhase.running
    var trigger = InputPhase.running
  }

  let source = Disposable()
  let trigger = Disposable()
  let gate: Gate<State>

  init(_ downstream: Downstream<Value, Failure>) {
    gate = Gate(State(downstream: downstream))
    gate.resources.add(source)
    gate.resources.add(trigger)
    downstream.scope.hold(gate)
  }

  func next(_ value: Value) {
    guard gate.enter() else { return gate.later { gate.state?.downstream.next(value) } }
    gate.state?.downstream.next(value)
    gate.leave()
  }

  /// The end of the source; or of both, by the trigger.
  func end(_ end: End<Value, Failure>) {
    gate.run {
      guard let state = gate.state else { return }
      guard case .abandoned = end, state.trigger == .running else { return gate.finish(end, state.downstream) }
      // The trigger may still complete it.
      gate.state?.source = .abandoned
    }
  }

  /// The end of a trigger that has sent no value: only a failure ends the source.
  func endTrigger<Other>(_ end: End<Other, Failure>) {
    switch end {
    case .last: self.end(.completed)
    case .failed(let failure): self.end(.failed(failure))
    case .completed, .abandoned:
      gate.run {
        gate.state?.trigger = .completed
        if let state = gate.state, state.source == .abandoned { gate.finish(.abandoned, state.downstream) }
      }
    }
  }
}
