/// The rule of a join: values by position, or the latest values.
enum JoinRule {
  case zip
  case combineLatest
}

/// The stage of `zip` and `combineLatest` for signals of different types: joins its inputs into a signal of tuples.
///
/// All work runs inside one gate, so that the buffers need no lock and an end from inside a source cannot deadlock. Each
/// input has a typed buffer of its own; only making a tuple visits all of them.
final class TupleJoin<Output: Sendable, Failure: Error>: Sendable {
  private let gate: Gate<Output, Failure>
  private let rule: JoinRule
  private let inputs: [any JoinInput]
  private let state: Cell<JoinState>
  /// Makes the next tuple from the inputs' values.
  private let makeTuple: @Sendable (TupleJoin) -> Output?

  init(
    _ rule: JoinRule, _ inputs: [any JoinInput], _ downstream: Downstream<Output, Failure>,
    _ makeTuple: @escaping @Sendable (TupleJoin) -> Output?
  ) {
    self.rule = rule
    self.inputs = inputs
    self.makeTuple = makeTuple
    state = Cell(JoinState(count: inputs.count))
    gate = Gate(next: downstream.next, end: downstream.end)
    // Without the inputs, whose values are freed at an unreachable end and not at disposal.
    gate.hold(Disposable { [scopes = inputs.map { $0.scope }] in for scope in scopes { scope.dispose() } })
    downstream.scope.hold(gate)
  }

  /// Runs the signal of an input, unless the stage has terminated.
  func start<Value>(_ signal: Signal<Value, Failure>, at index: Int, _ downstream: Downstream<Output, Failure>) {
    guard !gate.isDisposed, let input = inputs[index] as? TupleInput<Value> else { return }
    signal.feed(downstream, scope: input.scope, next: { self.next($0, input) }, end: { self.end($0, input) })
  }

  /// Returns the value of an input for the next tuple.
  func take<Value: Sendable>(_ type: Value.Type, at index: inout Int) throws(NoValue) -> Value {
    defer { index += 1 }
    guard let input = inputs[index] as? TupleInput<Value> else { throw NoValue() }
    return try input.take(rule, state)
  }

  private func next<Value>(_ value: Value, _ input: TupleInput<Value>) {
    guard gate.enter() else {
      return gate.later {
        input.add(value, self.rule, self.state)
        self.sendIfComplete()
      }
    }
    input.add(value, rule, state)
    sendIfComplete()
    gate.leave()
  }

  private func end<Value>(_ end: End<Value, Failure>, _ input: TupleInput<Value>) {
    if gate.enter() {
      accept(end, input)
      gate.leave()
    } else {
      gate.later { self.accept(end, input) }
    }
    if !end.isUnreachable { input.scope.dispose() }
  }

  private func accept<Value>(_ end: End<Value, Failure>, _ input: TupleInput<Value>) {
    state.value.runningCount -= 1
    switch end {
    case .failed(let failure): return gate.finish(.failed(failure))
    case .unreachable: break
    case .completed: input.complete(rule, state)
    case .abandoned:
      state.value.isAbandoned = true
      input.complete(rule, state)
    case .last(let value):
      input.add(value, rule, state)
      input.complete(rule, state)
      return sendIfComplete()
    }
    finishIfOver()
  }

  // `sendTuple` and `finish` are functions of their own: a generic function looks up the metadata of all its variables
  // when it begins, whichever way it takes.

  /// Sends the next tuple, if every input has a value; ends, if no further tuple is possible.
  private func sendIfComplete() {
    if state.value.emptyCount == 0 { sendTuple() } else { finishIfOver() }
  }

  /// Sends the next tuple, fused with the end if no further tuple is possible.
  @inline(never)
  private func sendTuple() {
    if let tuple = makeTuple(self) {
      if state.value.isExhausted, !state.value.isAbandoned { return gate.finish(.last(tuple)) }
      gate.send(tuple)
    }
    finishIfOver()
  }

  private func finishIfOver() {
    if state.value.isExhausted || state.value.runningCount == 0 { finish() }
  }

  @inline(never)
  private func finish() {
    gate.finish(!state.value.isExhausted ? .unreachable : state.value.isAbandoned ? .abandoned : .completed)
  }
}

/// The progress of a join's inputs: values received, and inputs that have ended.
struct JoinState {
  /// The inputs that have no value for the next tuple.
  var emptyCount: Int
  /// The inputs that have not completed.
  var openCount: Int
  /// The inputs that can still send events.
  var runningCount: Int
  /// Whether no further tuple is possible.
  var isExhausted = false
  /// Whether an input was abandoned, which makes the end silent.
  var isAbandoned = false

  init(count: Int) {
    (emptyCount, openCount, runningCount) = (count, count, count)
  }
}

extension Signal {
  /// Joins signals by a rule; it subscribes in the order of the parameters.
  static func joined<each Input: Sendable>(
    _ rule: JoinRule, _ signals: repeat Signal<each Input, Failure>
  ) -> Signal where Value == (repeat each Input) {
    // Walking the pack costs look-ups of metadata, so it is done here and not in each subscription.
    var sources: [JoinSource<Value, Failure>] = []
    for signal in repeat each signals { sources.append(JoinSource(signal, at: sources.count)) }
    let makeTuple = { @Sendable (join: TupleJoin<Value, Failure>) -> Value? in
      var index = 0
      return try? (repeat join.take((each Input).self, at: &index))
    }
    return .stage { [sources] downstream in
      let join = TupleJoin(rule, sources.map { $0.makeInput() }, downstream, makeTuple)
      for source in sources { source.start(join, downstream) }
      return nil
    }
  }
}

/// A signal that a ``TupleJoin`` joins, without the type of its values.
private struct JoinSource<Output: Sendable, Failure: Error>: Sendable {
  let makeInput: @Sendable () -> any JoinInput
  let start: @Sendable (TupleJoin<Output, Failure>, Downstream<Output, Failure>) -> Void

  init<Value>(_ signal: Signal<Value, Failure>, at index: Int) {
    makeInput = { TupleInput<Value>() }
    start = { $0.start(signal, at: index, $1) }
  }
}
