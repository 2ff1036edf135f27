/// The stage of `amb`: chooses the signal that sends an event first and disposes the others.
struct Amb<Value: Sendable, Failure: Error>: Sendable {
  private struct State {
    var chosen: Int?
    /// The number of inputs that can still send an event.
    var runningCount: Int
    var isUnreachable = false
  }

  private let inputs: [Disposable]
  private let gate: Gate<Value, Failure>
  private let state: Cell<State>

  init(count: Int, _ downstream: Downstream<Value, Failure>) {
    let inputs = (0..<count).map { _ in Disposable() }
    self.inputs = inputs
    state = Cell(State(runningCount: count))
    gate = Gate(next: downstream.next, end: downstream.end)
    gate.hold(Disposable { for input in inputs.reversed() { input.dispose() } })
    downstream.scope.hold(gate)
  }

  /// Runs the signals in order; once one is chosen, the others are disposed and those not yet started never start.
  func start(_ signals: [Signal<Value, Failure>], _ downstream: Downstream<Value, Failure>) {
    for (index, signal) in signals.enumerated() {
      if inputs[index].isCancelled { continue }
      signal.feed(downstream, scope: inputs[index], next: { next($0, at: index) }, end: { end($0, at: index) })
    }
  }

  private func next(_ value: Value, at index: Int) {
    guard gate.enter() else { return gate.enqueue { if choose(index) { gate.send(value) } } }
    if choose(index) { gate.send(value) }
    gate.leave()
  }

  private func end(_ end: End<Value, Failure>, at index: Int) {
    gate.run {
      if end.isSilent, state.value.chosen == nil { return silentEnd(end, at: index) }
      if choose(index) { gate.finish(end) }
    }
  }

  /// Handles an input that terminated without an event; another input may still be chosen.
  private func silentEnd(_ end: End<Value, Failure>, at index: Int) {
    state.value.runningCount -= 1
    if end.isUnreachable { state.value.isUnreachable = true } else { inputs[index].dispose() }
    if state.value.runningCount == 0 { gate.finish(state.value.isUnreachable ? .unreachable : .abandoned) }
  }

  /// Chooses an input if none is chosen yet; returns whether the input is the chosen one and may send.
  private func choose(_ index: Int) -> Bool {
    if let chosen = state.value.chosen { return chosen == index }
    state.value.chosen = index
    for other in inputs.indices.reversed() where other != index { inputs[other].dispose() }
    // A teardown may have disposed the subscription.
    return !gate.isDisposed
  }
}
