/// The rule of a join: values by position, or the latest values.
enum JoinRule {
  case zip
  case combineLatest
}

/// The stage of `zip` and `combineLatest`: joins its inputs into a signal of tuples or arrays.
///
/// All work runs inside one gate, so that the buffers need no lock and an end from inside a source cannot deadlock.
/// Each input has a typed buffer of its own; only making an output visits all of them.
final class Join<Output: Sendable, Failure: Error>: Sendable {
  private let gate: Gate<Output, Failure>
  private let rule: JoinRule
  private let inputs: [any JoinInput]
  private let state: Cell<JoinState>
  /// Makes the next output from the inputs' values, after an input has received a value.
  private let makeOutput: MakeOutput

  typealias MakeOutput = @Sendable (_ join: Join, _ index: Int) throws(NoValue) -> Output

  /// Creates the stage and runs the signals in order, unless one of them terminates the stage.
  @discardableResult
  init(
    _ rule: JoinRule, _ sources: [JoinSource<Output, Failure>], _ downstream: Downstream<Output, Failure>,
    _ makeOutput: @escaping MakeOutput
  ) {
    let inputs = sources.map { $0.makeInput() }
    self.rule = rule
    self.inputs = inputs
    self.makeOutput = makeOutput
    state = Cell(JoinState(count: inputs.count))
    gate = Gate(next: downstream.next, end: downstream.end)
    // Without the inputs, whose values are freed at an unreachable end and not at disposal.
    gate.hold(Disposable { [scopes = inputs.map { $0.scope }] in for scope in scopes.reversed() { scope.dispose() } })
    downstream.scope.hold(gate)
    for source in sources { source.start(self, downstream) }
  }

  /// Runs the signal of an input, unless the stage has terminated.
  func start<Value>(_ signal: Signal<Value, Failure>, at index: Int, _ downstream: Downstream<Output, Failure>) {
    guard !gate.isDisposed, let input = inputs[index] as? TypedInput<Value> else { return }
    signal.feed(downstream, scope: input.scope, next: { self.next($0, input) }, end: { self.end($0, input) })
  }

  /// Returns the value of an input for the next output, and moves the index to the next input.
  func take<Value: Sendable>(_ type: Value.Type, at index: inout Int) throws(NoValue) -> Value {
    defer { index += 1 }
    guard let input = inputs[index] as? TypedInput<Value> else { throw NoValue() }
    return try input.take(rule, state)
  }

  private func next<Value>(_ value: Value, _ input: TypedInput<Value>) {
    guard gate.enter() else {
      return gate.enqueue {
        input.add(value, self.rule, self.state)
        self.sendIfComplete(input.index)
      }
    }
    input.add(value, rule, state)
    sendIfComplete(input.index)
    gate.leave()
  }

  private func end<Value>(_ end: End<Value, Failure>, _ input: TypedInput<Value>) {
    if gate.enter() {
      accept(end, input)
      gate.leave()
    } else {
      gate.enqueue { self.accept(end, input) }
    }
    if !end.isUnreachable { input.scope.dispose() }
  }

  private func accept<Value>(_ end: End<Value, Failure>, _ input: TypedInput<Value>) {
    state.value.runningCount -= 1
    switch end {
    case .failed(let failure): return gate.finish(.failed(failure))
    case .unreachable: input.becomeUnreachable(rule, state)
    case .completed: input.complete(rule, state)
    case .abandoned:
      state.value.isAbandoned = true
      input.complete(rule, state)
    case .last(let value):
      input.add(value, rule, state)
      input.complete(rule, state)
      return sendIfComplete(input.index)
    }
    finishIfOver()
  }

  // `sendNext`, `finish` and `finish(with:)` are functions of their own: a generic function looks up the metadata of
  // all its variables when it begins, whichever branch it takes.

  /// Sends the next output, if every input has a value; ends, if no further output is possible.
  private func sendIfComplete(_ index: Int) {
    if state.value.emptyCount == 0 { sendNext(index) } else { finishIfOver() }
  }

  /// Sends the next output, fused with the end if no further output is possible.
  @inline(never)
  private func sendNext(_ index: Int) {
    do throws(NoValue) {
      let output = try makeOutput(self, index)
      if state.value.isExhausted, !state.value.isAbandoned { return finish(with: output) }
      gate.send(output)
    } catch {}
    finishIfOver()
  }

  @inline(never)
  private func finish(with output: Output) { gate.finish(.last(output)) }

  private func finishIfOver() {
    if state.value.isStuck, state.value.hasQueues { dropQueues() }
    if state.value.isExhausted || state.value.runningCount == 0 { finish() }
  }

  /// Frees the queued values; the inputs still run, because their ends are the stage's.
  @inline(never)
  private func dropQueues() {
    state.value.hasQueues = false
    for input in inputs { input.dropQueue() }
  }

  @inline(never)
  private func finish() {
    gate.finish(!state.value.isExhausted ? .unreachable : state.value.isAbandoned ? .abandoned : .completed)
  }
}

/// The progress of a join's inputs: values received, and inputs that have ended.
struct JoinState {
  /// The inputs that have no value for the next output.
  var emptyCount: Int
  /// The inputs that have not completed.
  var openCount: Int
  /// The inputs that can still send events.
  var runningCount: Int
  /// Whether no further output is possible.
  var isExhausted = false
  /// Whether no further output of `zip` is possible, because an unreachable input has no value.
  var isStuck = false
  /// Whether values wait for a partner in queues.
  var hasQueues = true
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
    if sources.isEmpty { return .empty }
    let makeTuple: Join<Value, Failure>.MakeOutput = { (join, _) throws(NoValue) -> Value in
      var index = 0
      return (repeat try join.take((each Input).self, at: &index))
    }
    return .stage { [sources] downstream in
      Join(rule, sources, downstream, makeTuple)
      return nil
    }
  }

  /// Joins signals of one type by a rule; it subscribes in the order of the array.
  static func joined(_ rule: JoinRule, _ signals: [Signal]) -> Signal<[Value], Failure> {
    if signals.isEmpty { return .empty }
    let sources = signals.enumerated().map { JoinSource<[Value], Failure>($1, at: $0) }
    return .stage { downstream in
      let latest = Cell<[Value]>([])
      Join(rule, sources, downstream) { [count = sources.count] (join, index) throws(NoValue) -> [Value] in
        // With `combineLatest`, each value replaces one element and thus costs O(1).
        if !latest.value.isEmpty {
          var index = index
          latest.value[index] = try join.take(Value.self, at: &index)
          return latest.value
        }
        var (values, next): ([Value], Int) = ([], 0)
        while next < count { values.append(try join.take(Value.self, at: &next)) }
        if rule == .combineLatest { latest.value = values }
        return values
      }
      return nil
    }
  }
}

/// A signal that a ``Join`` joins, without the type of its values.
struct JoinSource<Output: Sendable, Failure: Error>: Sendable {
  let makeInput: @Sendable () -> any JoinInput
  let start: @Sendable (Join<Output, Failure>, Downstream<Output, Failure>) -> Void

  init<Value>(_ signal: Signal<Value, Failure>, at index: Int) {
    makeInput = { TypedInput<Value>(at: index) }
    start = { $0.start(signal, at: index, $1) }
  }
}
