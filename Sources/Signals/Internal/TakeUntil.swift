/// A source that a trigger ends, by a value or a failure.
struct TakeUntil<Value: Sendable, Failure: Error>: Sendable {
  private struct State {
    /// Nothing more can come of the source, but the trigger may still complete it.
    var isSourceUnreachable = false
    var isTriggerOver = false
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
    guard gate.enter() else { return gate.later { gate.send(value) } }
    gate.send(value)
    gate.leave()
  }

  /// The end of the source; or of both, by the trigger.
  func end(_ end: End<Value, Failure>) {
    gate.run {
      guard end.isUnreachable, !state.value.isTriggerOver else { return gate.finish(end) }
      state.value.isSourceUnreachable = true
    }
  }

  /// The end of the trigger: one that completes without a value leaves the source alone.
  func endTrigger<Other>(_ end: End<Other, Failure>) {
    switch end {
    case .last: self.end(.completed)
    case .failed(let failure): self.end(.failed(failure))
    case .completed, .abandoned, .unreachable:
      gate.run {
        state.value.isTriggerOver = true
        if state.value.isSourceUnreachable { gate.finish(.unreachable) }
      }
    }
  }
}
