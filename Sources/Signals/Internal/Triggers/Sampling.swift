/// The stage of `sample(on:)`: sends the latest value of a source when a sampler sends a value.
struct Sampling<Value: Sendable, Failure: Error>: Sendable {
  private struct State {
    /// The latest value, or `nil` once it has been sent.
    var latest: Value?
    var runningCount = 2
  }

  let source = Disposable()
  let sampler = Disposable()
  private let gate: Gate<Value, Failure>
  private let state = Cell(State())

  init(_ downstream: Downstream<Value, Failure>) {
    gate = Gate(next: downstream.next, end: downstream.end)
    // The sampler was started last.
    gate.hold(DisposablePair(sampler, source))
    downstream.scope.hold(gate)
  }

  func next(_ value: Value) {
    guard gate.enter() else { return gate.enqueue { state.value.latest = value } }
    state.value.latest = value
    gate.leave()
  }

  func end(_ end: End<Value, Failure>) { gate.run { finish(end) } }

  func sample() {
    gate.run { if let value = state.value.latest.take() { gate.send(value) } }
  }

  func endSampler<Other>(_ end: End<Other, Failure>) {
    gate.run {
      if case .last = end, let value = state.value.latest.take() { return gate.finish(.last(value)) }
      finish(end)
    }
  }

  /// Receives the end of the source or the sampler; an unreachable input leaves the end to the other one.
  private func finish<Input>(_ end: End<Input, Failure>) {
    if end.isUnreachable { state.value.runningCount -= 1 }
    if !end.isUnreachable || state.value.runningCount == 0 { gate.finish(end.withoutValue() ?? .completed) }
  }
}
