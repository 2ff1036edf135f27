/// The stage of `withLatest(from:)`: pairs each value of a source with the latest value of another signal; all work
/// runs inside one gate, so that the buffer needs no lock and an end from inside a source cannot deadlock.
struct LatestJoin<Value: Sendable, Other: Sendable, Failure: Error>: Sendable {
  private struct State {
    var latest: Other?
    var sourcePhase = InputPhase.running
    var otherPhase = InputPhase.running
  }

  let source = Disposable()
  let other = Disposable()
  private let gate: Gate<(Value, Other), Failure>
  private let state = Cell(State())

  init(_ downstream: Downstream<(Value, Other), Failure>) {
    gate = Gate(next: downstream.next, end: downstream.end)
    gate.hold(DisposablePair(source, other))
    downstream.scope.hold(gate)
  }

  func send(_ value: Value) {
    guard gate.enter() else { return gate.enqueue { if let pair = pair(value) { gate.send(pair) } } }
    if let pair = pair(value) { gate.send(pair) }
    gate.leave()
  }

  func sendOther(_ value: Other) {
    guard gate.enter() else { return gate.enqueue { state.value.latest = value } }
    state.value.latest = value
    gate.leave()
  }

  func end(_ end: End<Value, Failure>) {
    gate.run {
      if case .last(let value) = end, let pair = pair(value) { return gate.finish(.last(pair)) }
      accept(end, \.sourcePhase)
    }
    if !end.isUnreachable { source.dispose() }
  }

  func endOther(_ end: End<Other, Failure>) {
    gate.run {
      if case .last(let value) = end { state.value.latest = value }
      accept(end, \.otherPhase)
    }
    if !end.isUnreachable { other.dispose() }
  }

  private func pair(_ value: Value) -> (Value, Other)? { state.value.latest.map { (value, $0) } }

  private func accept<Input>(_ end: End<Input, Failure>, _ input: WritableKeyPath<State, InputPhase>) {
    switch end {
    case .failed(let failure): return gate.finish(.failed(failure))
    case .abandoned: state.value[keyPath: input] = .abandoned
    case .unreachable: state.value[keyPath: input] = .unreachable
    case .completed, .last: state.value[keyPath: input] = .completed
    }
    let (source, other) = (state.value.sourcePhase, state.value.otherPhase)
    var isMissingOther = false
    if other.isDone, case .none = state.value.latest { isMissingOther = true }
    if source.isDone || isMissingOther {
      // The latest value is still paired after the other signal has ended, so its silent end is not the stage's.
      gate.finish(source == .abandoned || (isMissingOther && other == .abandoned) ? .abandoned : .completed)
    } else if source != .running, other != .running {
      gate.finish(.unreachable)
    }
  }
}

enum InputPhase: Sendable {
  case running
  case completed
  case abandoned
  case unreachable

  /// Whether the input has terminated; an unreachable input has not.
  var isDone: Bool { self == .completed || self == .abandoned }
}
