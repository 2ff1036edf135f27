/// The stage of `Signal.zip(_:)` and `Signal.combineLatest(_:)`: joins any number of signals into a signal of arrays.
///
/// All work runs inside one gate, so that the buffer needs no lock and an end from inside a source cannot deadlock.
struct ArrayJoin<Buffer: JoinBuffer, Failure: Error>: Sendable {
  private struct State {
    var buffer: Buffer
    /// The number of inputs that can still send events.
    var runningCount: Int
    /// Whether an input was abandoned, which makes the end silent.
    var isAbandoned = false
  }

  let inputs: [Disposable]
  private let gate: Gate<[Buffer.Value], Failure>
  private let state: Cell<State>

  init(_ buffer: Buffer, count: Int, _ downstream: Downstream<[Buffer.Value], Failure>) {
    let inputs = (0..<count).map { _ in Disposable() }
    self.inputs = inputs
    state = Cell(State(buffer: buffer, runningCount: count))
    gate = Gate(next: downstream.next, end: downstream.end)
    gate.hold(Disposable { for input in inputs { input.dispose() } })
    downstream.scope.hold(gate)
  }

  /// Runs the signals in order, unless one of them terminates the stage.
  func start(_ signals: [Signal<Buffer.Value, Failure>], _ downstream: Downstream<[Buffer.Value], Failure>) {
    for (index, signal) in signals.enumerated() where !gate.isDisposed {
      signal.feed(downstream, scope: inputs[index], next: { next($0, at: index) }, end: { end($0, at: index) })
    }
  }

  private func next(_ value: Buffer.Value, at index: Int) {
    guard gate.enter() else { return gate.enqueue { send(state.value.buffer.add(value, at: index)) } }
    send(state.value.buffer.add(value, at: index))
    gate.leave()
  }

  private func end(_ end: End<Buffer.Value, Failure>, at index: Int) {
    gate.run { accept(end, at: index) }
    if !end.isUnreachable { inputs[index].dispose() }
  }

  private func accept(_ end: End<Buffer.Value, Failure>, at index: Int) {
    var values: [Buffer.Value]?
    state.value.runningCount -= 1
    switch end {
    case .failed(let failure): return gate.finish(.failed(failure))
    case .unreachable: break
    case .completed: state.value.buffer.complete(at: index)
    case .abandoned:
      state.value.isAbandoned = true
      state.value.buffer.complete(at: index)
    case .last(let value):
      values = state.value.buffer.add(value, at: index)
      state.value.buffer.complete(at: index)
    }
    send(values)
  }

  /// Sends the next array, if any, fused with the end if no further array is possible.
  private func send(_ values: [Buffer.Value]?) {
    let (isExhausted, isAbandoned) = (state.value.buffer.isExhausted, state.value.isAbandoned)
    if let values {
      if isExhausted, !isAbandoned { return gate.finish(.last(values)) }
      gate.send(values)
    }
    if isExhausted {
      gate.finish(isAbandoned ? .abandoned : .completed)
    } else if state.value.runningCount == 0 {
      gate.finish(.unreachable)
    }
  }
}
