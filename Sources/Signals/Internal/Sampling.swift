/// A source whose latest value is sent when a sampler sends one.
struct Sampling<Value: Sendable, Failure: Error>: Sendable {
  private struct State {
    /// The latest value, until it has been sent.
    var latest: Value?
    var runningCount = 2
  }

  let source = Disposable()
  let sampler = Disposable()
  private let gate: Gate<Value, Failure>
  private let state = Cell(State())

  init(_ downstream: Downstream<Value, Failure>) {
    gate = Gate(next: downstream.next, end: downstream.end)
    gate.hold(DisposablePair(source, sampler))
    downstream.scope.hold(gate)
  }

  func next(_ value: Value) {
    guard gate.enter() else { return gate.later { state.value.latest = value } }
    state.value.latest = value
    gate.leave()
  }

  func end(_ end: End<Value, Failure>) { gate.run { finish(end) } }

  /// A value of the sampler.
  func sample() {
    gate.run { if let value = state.value.latest.take() { gate.send(value) } }
  }

  func endSampler<Other>(_ end: End<Other, Failure>) {
    gate.run {
      if case .last = end, let value = state.value.latest.take() { return gate.finish(.last(value)) }
      finish(end)
    }
  }

  /// The end of the source or the sampler; one from which nothing more can come leaves the other, which may still end it.
  private func finish<Input>(_ end: End<Input, Failure>) {
    switch end {
    case .failed(let failure): gate.finish(.failed(failure))
    case .completed, .last: gate.finish(.completed)
    case .abandoned: gate.finish(.abandoned)
    case .unreachable:
      state.value.runningCount -= 1
      if state.value.runningCount == 0 { gate.finish(.unreachable) }
    }
  }
}
